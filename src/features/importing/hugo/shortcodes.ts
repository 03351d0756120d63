import { outsideCode } from '../outside-code.ts'
import { RESTRICTING } from '../restricting-words.ts'

/** A use of a shortcode: its sign, whether it ends one, its name, its arguments. */
const CALL =
  /\{\{([<%])\s{0,20}(\/?)\s{0,20}([\w./-]{1,80})((?:[^"`{}]|"(?:[^"\\\n]|\\.){0,500}"|`[^`]{0,500}`){0,300}?)\/?\s{0,20}[>%]\}\}/g
const HIGHLIGHT = /\{\{[<%]\s{0,20}(\/?)\s{0,20}highlight\b[ \t]{0,20}"?([\w+#-]{0,40})"?[^{}\n]{0,200}[>%]\}\}/g

/** Matches the end of a shortcode that keeps from some, or from all, what it is around: in code as well, where Hugo runs it. */
const CLOSING = new RegExp(
  `\\{\\{[<%]\\s{0,20}/\\s{0,20}([\\w.-]{0,60}(?:${RESTRICTING}|encrypt|draft)[\\w.-]{0,60})\\s{0,20}[>%]\\}\\}`,
  'gi',
)

/** A text whose shortcodes were converted. */
export interface Converted {
  readonly body: string
  /** Names of those that stay as they are, and are shown as text. */
  readonly unknown: readonly string[]
}

/** Finds the file that a reference leads to, from `content/` with a `/` before it. */
export type Referring = (path: string) => string

/**
 * Returns a text whose shortcodes are Quire's: references are links, `highlight` is a block of code, and those of a known name
 * stay. Of other ones the names are returned.
 */
export function withoutShortcodes(text: string, known: ReadonlySet<string>, refer: Referring): Converted {
  if (!text.includes('{{')) return { body: text, unknown: [] }
  const unknown = new Set<string>()
  const body = outsideCode(highlighted(text), (piece) =>
    piece.replace(CALL, (whole, sign: string, slash: string, name: string, rest: string) => {
      if (name === 'ref' || name === 'relref') return reference(rest, refer) ?? whole
      if (known.has(name)) return sign === '%' ? whole.replace('{{%', '{{<').replace(/%\}\}$/, '>}}') : whole
      if (slash === '') unknown.add(name)
      return whole
    }),
  )
  return { body, unknown: [...unknown] }
}

/** The reason why not everyone could read a text or all of it, by the names of shortcodes that are not `known` ones of the site. */
export function restrictedBy(text: string, known: ReadonlySet<string>): string | undefined {
  const found = [...text.matchAll(CLOSING)].find(([, name = '']) => !known.has(name))
  return found && `parts of them were for some readers alone (${found[1]})`
}

function highlighted(text: string): string {
  let [made, from] = ['', 0]
  let open: { readonly start: number; readonly end: number; readonly language: string } | undefined
  for (const { 0: mark, 1: slash, 2: language = '', index } of text.matchAll(HIGHLIGHT)) {
    if (slash === '') open ??= { start: index, end: index + mark.length, language }
    else if (open) {
      const fenced = fencedCode(text.slice(open.end, index), open.language)
      made += `${text.slice(from, open.start)}${fenced}`
      from = index + mark.length
      open = undefined
    }
  }
  return made + text.slice(from)
}

/** Returns code as a block of Markdown, whatever stands in it. */
function fencedCode(code: string, language: string): string {
  const longest = [...code.matchAll(/`+/g)].reduce((most, [run]) => Math.max(most, run.length), 2)
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${code.replace(/^\n|\n[ \t]*$/g, '')}\n${fence}`
}

function reference(args: string, refer: Referring): string | undefined {
  const [, double, raw, bare] = /^\s*(?:path\s*=\s*)?(?:"([^"]*)"|`([^`]*)`|([^\s"]+))\s*$/.exec(args) ?? []
  const whole = double ?? raw ?? bare
  if (whole === undefined) return undefined
  const at = whole.indexOf('#')
  const [path, rest] = at < 0 ? [whole, ''] : [whole.slice(0, at), whole.slice(at)]
  return path === '' ? rest : encodeURI(refer(path)) + rest
}
