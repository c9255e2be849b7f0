# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion of model_loader's command line for bash.

_model_loader() {
    local options='--store --remote --list --shape --constant --weights --input --preset
        --resize --crop --mean --scale --layout --output --output-dir
        --output-format --top --labels --expect --dump --repeat --warm-up
        --duration --profile --json --platform --device --list-devices --threads
        --cached-only --prepare --record --version --help'
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    if [ "$previous" = = ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
    if [ "$current" = = ]; then
        previous=${COMP_WORDS[COMP_CWORD - 1]}
        current=
    fi
    COMPREPLY=()
    case $previous in
    --preset) mapfile -t COMPREPLY < <(compgen -W 'imagenet caffe inception unit raw' -- "$current") ;;
    --layout) mapfile -t COMPREPLY < <(compgen -W 'nchw nhwc' -- "$current") ;;
    --output-format) mapfile -t COMPREPLY < <(compgen -W 'npy pb raw' -- "$current") ;;
    --store | --output-dir | --dump) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    --shape | --constant | --remote | --resize | --crop | --mean | --scale | --top | --repeat | --warm-up | --duration | --platform | --device | --threads) ;;
    *)
        if [[ $current == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
        fi
        ;;
    esac
}

complete -o filenames -F _model_loader model_loader
