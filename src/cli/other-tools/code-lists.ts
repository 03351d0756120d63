/** Number of characters of code that are read. */
const MOST_CODE = 256 * 1024
/** Most entries of one list that are looked at. */
const MOST_ENTRIES = 1000
/** Matches where a program is told what to leave out: a key, a variable or a call that says so. */
const TELLS =
  /(?<![\w$])[\w$-]*(?:exclu|ignore|hidden)[\w$]*(?:\.(?:add|append|extend|push))?["']?[ \t]*(?:[:=+(]+\s*|[ \t])(?=[[("'`])/gi
/** Matches what tells the same of something else: of changes to be watched, links to be checked, files without pages. */
const OTHERWISE = /watch|link|lint|search|sitemap|missing|warn/i
/** Matches a text, a comment, a bracket, or another character of a list. */
const TOKEN = /'([^'\n]*)'|"([^"\n]*)"|`([^`\n]*)`|(?:\/\/|#).*|[[(]|[\])]|[\s\S]/g
/** Matches a text of a list of what to show that leaves a file out. */
const TAKEN_BACK = /["'`]!([^"'`\n]{1,500})["'`]/g

/** Returns the texts of a list that is written out in a program behind a name. */
export function listInCode(code: string, name: string): string[] {
  const pattern = new RegExp(`(?<![\\w$])${name}["']?(?:\\.(?:append|extend))?[ \\t]*(?:[:=+(]+\\s*|[ \\t])(?=[[("'])`, 'g')
  return textsBehind(code.slice(0, MOST_CODE), pattern)
}

/**
 * Returns all texts by which a program may be telling its tool what to leave out, whatever it calls that: `ignores.add("x")`,
 * `exclude: ['x']`, `ignore "x"`, and `'!x'` in a list of what to show.
 */
export function leftOutInCode(code: string): string[] {
  const read = code.slice(0, MOST_CODE)
  return [...textsBehind(read, TELLS), ...[...read.matchAll(TAKEN_BACK)].map(([, text = '']) => text)].filter(
    (text) => text !== '',
  )
}

function textsBehind(code: string, pattern: RegExp): string[] {
  return [...code.matchAll(pattern)].flatMap((found) =>
    OTHERWISE.test(found[0]) ? [] : textsAt(code, found.index + found[0].length),
  )
}

/** The texts of a list that begins at a place of code, or the one text there. */
function textsAt(code: string, from: number): string[] {
  const texts: string[] = []
  let depth = 0
  TOKEN.lastIndex = from
  for (let token = TOKEN.exec(code); token && texts.length < MOST_ENTRIES; token = TOKEN.exec(code)) {
    const [written, one, two, three] = token
    const text = one ?? two ?? three
    if (text !== undefined) texts.push(text)
    else if (/^[[(]$/.test(written)) depth++
    else if (/^[\])]$/.test(written)) depth--
    if (depth <= 0) break
  }
  return texts
}
