# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Completion of dnnl-cache's command line for bash.

# The names of the entries in the store that the command line means.
_dnnl_cache_entries() {
    local i options=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --store | --type | --key)
            # What bash split at "=" comes in three words.
            if [ "${COMP_WORDS[i + 1]:-}" = = ]; then
                options+=("${COMP_WORDS[i]}" "${COMP_WORDS[i + 2]:-}")
            else
                options+=("${COMP_WORDS[i]}" "${COMP_WORDS[i + 1]:-}")
            fi
            ;;
        --shared) options+=(--shared) ;;
        esac
    done
    "${COMP_WORDS[0]/#\~/$HOME}" "${options[@]/#\~/$HOME}" list 2>/dev/null |
        sed '1d;s/ .*//'
}

_dnnl_cache() {
    local commands='stats list inspect verify prove why evict gc gone clear quarantine export import copy identity refresh replay record key help'
    local general='--store --type --key --shared --json --quiet --help --version'
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
    local command='' arguments=0 i words=''
    if [ "$previous" = = ]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi
    if [ "$current" = = ]; then
        previous=${COMP_WORDS[COMP_CWORD - 1]}
        current=
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case ${COMP_WORDS[i]} in
        --store | --type | --key | --to | --older-than | --policy | --jobs | --timeout | --wait | --layer | --id-list | --remote | --device | --nice | --program-timeout | --memory | --output | --sign-key | --record | --limit)
            if [ "${COMP_WORDS[i + 1]:-}" = = ]; then i=$((i + 1)); fi
            i=$((i + 1))
            ;;
        -* | =) ;;
        *)
            if [ -z "$command" ]; then
                command=${COMP_WORDS[i]}
            else
                arguments=$((arguments + 1))
            fi
            ;;
        esac
    done

    COMPREPLY=()
    case $previous in
    --store | --key | --sign-key | --id-list | --layer | --output | --record) # a pack is a file
        mapfile -t COMPREPLY < <(compgen -f -- "$current")
        return
        ;;
    --type)
        words=$("${COMP_WORDS[0]/#\~/$HOME}" --help 2>/dev/null |
            sed -n '/^Types of stores: /{s///;s/,\| or\b/ /g;p;}')
        ;;
    --policy) words='fifo lru cost' ;;
    --to | --older-than | --jobs | --timeout | --wait | --remote | --device | --nice | --program-timeout | --memory | --limit) return ;;
    *)
        case $command in
        '' | help) words="$commands" ;;
        inspect | why) words=$(_dnnl_cache_entries) ;;
        quarantine)
            if [ "$arguments" -eq 0 ]; then words='list clear'; fi
            ;;
        record)
            if [ "$arguments" -eq 0 ]; then words='list inspect merge diff prune'; fi
            ;;
        key)
            if [ "$arguments" -eq 0 ]; then words='make make-pair make-encryption'; fi
            ;;
        export) if [ "$arguments" -gt 0 ]; then words=$(_dnnl_cache_entries); fi ;;
        esac
        if [[ $current == -* ]]; then
            words=$general
            case $command in
            stats) words+=' --prometheus --reset --id-list' ;;
            list) words+=' --long --ids --id-list' ;;
            export) words+=' --seed --sign-key --id-list' ;;
            copy) words+=' --id-list' ;;
            verify) words+=' --repair --unsigned' ;;
            why) words+=' --record' ;;
            prove) words+=' --record --limit --most-used --again --keep --timeout --layer --read-files --device --nice --program-timeout --memory --id-list' ;;
            evict) words+=' --to --policy' ;;
            gc) words+=' --older-than --policy' ;;
            gone) words+=' --remove --older-than' ;;
            clear) words+=' --yes' ;;
            replay) words+=' --jobs --timeout --layer --dry-run --read-files --progress --remote --device --nice --program-timeout --memory --retry' ;;
            record) words+=' --output --older-than' ;;
            refresh) words+=' --journal-only --compiled-only --jobs --timeout --wait --layer --dry-run --read-files --progress --remote --program-timeout' ;;
            esac
        fi
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
    case $command in
    inspect | why | export | import | copy | key | prove | replay | record)
        if [[ $command == @(key|record) ]] && [ "$arguments" -eq 0 ]; then return; fi
        if [[ $current != -* ]]; then
            mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY \
                < <(compgen -f -- "$current")
        fi
        ;;
    esac
}

complete -F _dnnl_cache -o filenames dnnl-cache
