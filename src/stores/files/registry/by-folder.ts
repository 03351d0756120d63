/** The names of files by the folder that they are in, from their paths. */
export function byFolder(paths: Iterable<string>): Map<string, Set<string>> {
  const folders = new Map<string, Set<string>>()
  for (const path of paths) {
    const slash = path.lastIndexOf('/')
    const folder = path.slice(0, slash)
    const names = folders.get(folder)
    if (names) names.add(path.slice(slash + 1))
    else folders.set(folder, new Set([path.slice(slash + 1)]))
  }
  return folders
}
