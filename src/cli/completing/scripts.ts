/** The completion script of each shell. They ask `cms` for the words that fit, and take files where there are none. */
export const SHELLS: Readonly<Record<string, string>> = {
  // Bash parts words at its own signs (COMP_WORDBREAKS: `:` and `=` among them), which are everybody's and stay as they are: what
  // it takes for the word that is typed begins after the last of them.
  bash: `_cms() {
  local line="\${COMP_LINE:0:COMP_POINT}" word part=
  local -a typed
  read -ra typed <<< "$line"
  [[ "$line" == *[[:space:]] ]] && typed+=("")
  local last="\${typed[\${#typed[@]}-1]}"
  [[ "$last" == *[:=]* ]] && part="\${last%"\${last##*[:=]}"}"
  [[ "$part" == *:* && "$COMP_WORDBREAKS" != *:* ]] && part=
  COMPREPLY=()
  while IFS= read -r word; do
    word="\${word#"$part"}"
    [[ "$word" == *[!A-Za-z0-9._~:/@+=-]* ]] && printf -v word %q "$word"
    COMPREPLY+=("$word")
  done < <(cms completion words -- "\${typed[@]:1}" 2>/dev/null)
}
complete -o default -F _cms cms`,
  zsh: `#compdef cms
_cms() {
  local -a found
  found=("\${(@f)$(cms completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -- "\${found[@]}"; else _files; fi
}
compdef _cms cms`,
  fish: `function __cms_words
  set -l typed (commandline -opc)[2..-1] (commandline -ct)
  cms completion words -- $typed 2>/dev/null
end
complete -c cms -a "(__cms_words)"`,
}
