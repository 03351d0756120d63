import { RE2JS } from 're2js'

/**
 * The way in which a tool reads a list of files: `paths` from a folder, where `*` ends at a `/`; `names` as paths, where it does
 * not; `ignore` as git reads .gitignore; `regular` as regular expressions of a whole path.
 */
export type Style = 'paths' | 'names' | 'ignore' | 'regular'

/** Longest list that is read, and longest entry of it. Of a longer one nobody knows what is not in it. */
const MOST_ENTRIES = 5_000
const LONGEST = 4096
const SPECIAL = /[*?[\]{}\\]/

interface Entry {
  readonly isTakenBack: boolean
  matches(path: string): boolean
}

/** Returns a function that returns whether a file is in a list, by its path from the folder that the list is for. */
export function listedBy(entries: readonly string[], style: Style): ((path: string) => boolean) | undefined {
  if (entries.length > MOST_ENTRIES) return () => true
  const all = entries.flatMap((entry) => entryOf(entry, style) ?? [])
  if (all.length === 0) return undefined
  return (path) => all.reduce((isIn, entry) => (entry.isTakenBack === isIn && entry.matches(path) ? !isIn : isIn), false)
}

function entryOf(written: string, style: Style): Entry | undefined {
  if (written.length > LONGEST) return written.startsWith('!') ? undefined : { isTakenBack: false, matches: () => true }
  if (style === 'regular') {
    const entry = compiled(written, false)
    return entry && { ...entry, matches: (path) => entry.matches(`/${path}`) }
  }
  const isTakenBack = written.startsWith('!')
  const text = isTakenBack ? written.slice(1) : written
  const plain = text.replace(/^(?:\.?\/)+/, '').replace(/\/{1,9}$/, '')
  if (plain === '' || plain.startsWith('../')) return undefined
  const isAnywhere = style === 'ignore' && !text.replace(/\/$/, '').includes('/')
  if (SPECIAL.test(plain)) return compiled(`^${isAnywhere ? '(?:.*/)?' : ''}${expressionOf(plain, style)}(?:/.*)?$`, isTakenBack)
  const matches = isAnywhere
    ? (path: string) => `/${path}/`.includes(`/${plain}/`)
    : (path: string) => path === plain || path.startsWith(`${plain}/`)
  return { isTakenBack, matches }
}

/** In linear time: a list may come from anywhere. */
function compiled(expression: string, isTakenBack: boolean): Entry | undefined {
  try {
    const pattern = RE2JS.compile(expression)
    return { isTakenBack, matches: (path) => pattern.matcher(path).find() }
  } catch {
    return undefined
  }
}

function expressionOf(glob: string, style: Style): string {
  const any = style === 'names' ? '.*' : '[^/]*'
  const tokens: string[] = glob.match(/\*\*\/|\*+|\?|\[[!^]?[^\]/]+\]|\\.|[{},]|[^*?[\\{},]+|./gs) ?? []
  const isBalanced = tokens.filter((token) => token === '{').length === tokens.filter((token) => token === '}').length
  return tokens
    .map((token) => {
      if (token === '**/') return '(?:.*/)?'
      if (token.startsWith('*')) return token === '*' ? any : '.*'
      if (token === '?') return '[^/]'
      if (/^\[.+\]$/s.test(token)) return `[${token.slice(1, -1).replace(/^[!^]/, '^').replaceAll('\\', '\\\\')}]`
      if (isBalanced && token === '{') return '(?:'
      if (isBalanced && token === '}') return ')'
      if (token === ',') return isBalanced && tokens.includes('{') ? '|' : ','
      return RE2JS.quote(token.startsWith('\\') ? token.slice(1) : token)
    })
    .join('')
}
