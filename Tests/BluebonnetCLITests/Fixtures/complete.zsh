# Prints what zsh offers for the last word of a line: zsh -f complete.zsh LINE, in a folder with the script as functions/_bluebonnet.

zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1='' PS2=''; stty -echo columns 300 rows 200; cd ${(q)PWD}
fpath=(${(q)PWD}/functions \$fpath); autoload -Uz compinit; compinit -u -D; LISTMAX=0
compadd () {
    if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd \"\$@\"; return \$?; fi
    local -a offered
    builtin compadd -A offered \"\$@\"
    builtin compadd \"\$@\"
    local -A ahead; zparseopts -E P:=ahead p:=ahead
    local word
    for word in \"\${offered[@]}\"; do print -r -- \"OFFER<\$IPREFIX\${ahead[-P]}\${ahead[-p]}\$word>\"; done
}
offer () { _main_complete; print -r -- ENDED; }
zle -C offer list-choices offer
bindkey '^I' offer; print BEGUN"
zpty -r shell output '*BEGUN*'
zpty -n -w shell "${1}"$'\t'
zpty -r shell output '*ENDED*'
print -r -- "${output}"
zpty -d shell
