/**
 * The cache of trees that an index carries (gitformat-index, "Cache tree"), with the folders of these paths marked as changed, so that git makes their
 * trees anew and takes the others from here; undefined where it can't be read, and is left out.
 */
export function invalidated(data: Buffer, paths: readonly string[], idLength: number): Buffer | undefined {
  const changed = new Set(paths.flatMap(foldersOf))
  const parts: Buffer[] = []
  let at = 0
  /** Takes in one folder and those below it; false where that can't be read. */
  const take = (parent: string | undefined): boolean => {
    const nameEnd = data.indexOf(0, at)
    const lineEnd = data.indexOf(10, nameEnd)
    if (nameEnd < 0 || lineEnd < 0) return false
    const name = data.toString('utf8', at, nameEnd)
    const [, entries = '', below = ''] = /^(-?\d+) (\d+)$/.exec(data.toString('latin1', nameEnd + 1, lineEnd)) ?? []
    if (below === '') return false
    const folder = parent === undefined ? '' : `${parent}${name}/`
    const next = lineEnd + 1 + (Number(entries) < 0 ? 0 : idLength)
    if (changed.has(folder)) parts.push(data.subarray(at, nameEnd + 1), Buffer.from(`-1 ${below}\n`))
    else parts.push(data.subarray(at, next))
    at = next
    for (let left = Number(below); left > 0; left--) if (!take(folder)) return false
    return true
  }
  return take(undefined) && at === data.length ? Buffer.concat(parts) : undefined
}

/** The folders that a path lies in, each with `/` at its end, and the top as ''. */
function foldersOf(path: string): string[] {
  const folders = ['']
  for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) folders.push(path.slice(0, slash + 1))
  return folders
}
