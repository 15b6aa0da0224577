/** The scripts for shells. Each passes the words before the cursor on, and offers the lines of the answer. */

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** `ask` is the command that prints a candidate per line, with a tab before its description, or `filesOnly`. */
type Script = (ask: string, filesOnly: string) => string;

export const scripts: Readonly<Record<Shell, Script>> = {
  bash: (ask, filesOnly) => `_latchkey() {
  local word
  COMPREPLY=()
  while IFS=$'\\t' read -r word _; do
    if [ "$word" = '${filesOnly}' ]; then
      compopt -o default 2>/dev/null
    else
      COMPREPLY+=("$word")
    fi
  done < <(${ask} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _latchkey latchkey
`,
  zsh: (ask, filesOnly) => `#compdef latchkey
_latchkey() {
  local -a candidates
  local line
  for line in "\${(@f)$(${ask} "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ "$line" == '${filesOnly}' ]]; then
      _files
      return
    fi
    [[ -n "$line" ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe latchkey candidates
}
compdef _latchkey latchkey
`,
  fish: (ask, filesOnly) => `function __latchkey_complete
  set -l words (commandline -opc) (commandline -ct)
  for line in (${ask} $words[2..-1] 2>/dev/null)
    if test "$line" = '${filesOnly}'
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c latchkey -f -a '(__latchkey_complete)'
`,
};
