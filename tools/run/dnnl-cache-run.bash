# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion of dnnl-cache-run's command line for bash.

# Where the command stands in COMP_WORDS; fails if none does yet.
_dnnl_cache_run_command() {
    local i
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --)
            echo $((i + 1))
            return
            ;;
        --dir | --store | --max-size | --seed | --remote | --layer | --record | --tag | \
            --allow | --deny | --root)
            # What bash split at "=" comes in three words.
            if [ "${COMP_WORDS[i + 1]:-}" = = ]; then i=$((i + 1)); fi
            i=$((i + 1))
            ;;
        --stats | --trace)
            if [ "${COMP_WORDS[i + 1]:-}" = = ]; then i=$((i + 2)); fi
            ;;
        -*) ;;
        *)
            echo "$i"
            return
            ;;
        esac
    done
    return 1
}

_dnnl_cache_run() {
    local options='--dir --store --max-size --seed --remote --stats --trace
        --record --tag --debug --allow --deny --off --layer --wait --no-wait --print --quiet --verbose
        --enable --disable --status --user --system --root --no-timer --dry-run
        --json --help --version'
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command types
    COMPREPLY=()
    # The command completes its own words, if bash-completion is there.
    if command=$(_dnnl_cache_run_command) && [ "$command" -lt "$COMP_CWORD" ]; then
        if declare -F _command_offset >/dev/null; then
            _command_offset "$command"
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
        fi
        return
    fi
    if [ "$previous" = = ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
    if [ "$current" = = ]; then
        previous=${COMP_WORDS[COMP_CWORD - 1]}
        current=
    fi
    case $previous in
    --dir | --root) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    --layer | --seed | --record) mapfile -t COMPREPLY < <(compgen -f -- "$current") ;;
    --store)
        types=$("${COMP_WORDS[0]/#\~/$HOME}" --help 2>/dev/null |
            sed -n '/^  --store TYPE/{s///;s/(.*//;s/,\| or\b/ /g;p;}')
        mapfile -t COMPREPLY < <(compgen -W "$types" -- "$current")
        ;;
    --max-size | --remote | --tag | --allow | --deny) ;;
    *)
        if [[ $current == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
        elif [ "${COMP_WORDS[COMP_CWORD - 1]}" = = ] ||
            [ "${COMP_WORDS[COMP_CWORD]}" = = ]; then
            mapfile -t COMPREPLY < <(compgen -f -- "$current")
        else
            mapfile -t COMPREPLY < <(compgen -c -- "$current")
        fi
        ;;
    esac
}

complete -F _dnnl_cache_run -o filenames dnnl-cache-run
