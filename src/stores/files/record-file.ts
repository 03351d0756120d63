import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isPrivate, type Key } from '#core/key.ts'
import { composed } from '#lib/text/normal-form.ts'

/**
 * The file of a record below the site's root, spelled as it is on disk; undefined for what is private or has none. `content` is
 * the folder of the content, and `names` are those that the file may have below its type's folder.
 */
export function recordFile(root: string, content: string, key: Key, names: readonly string[]): string | undefined {
  if (isPrivate(key.kind)) return undefined
  const folders = key.kind === 'pages' ? [content, `${content}/pages`] : [`${content}/${key.kind}`]
  const paths = folders.flatMap((folder) => names.map((name) => `${folder}/${name}`))
  return paths.find((path) => existsSync(join(root, path))) ?? otherwiseSpelled(root, paths)
}

/** The first of the paths that is there but for `.MD` instead of `.md`, or letters composed in another way. */
function otherwiseSpelled(root: string, paths: readonly string[]): string | undefined {
  for (const path of paths) {
    let found: string | undefined = ''
    for (const name of path.split('/')) {
      const there: string | undefined = nameIn(join(root, found), name)
      found = there === undefined ? undefined : join(found, there)
      if (found === undefined) break
    }
    if (found !== undefined) return found.replaceAll('\\', '/')
  }
  return undefined
}

function nameIn(folder: string, name: string): string | undefined {
  if (existsSync(join(folder, name))) return name
  try {
    return readdirSync(folder).find((entry) => plain(entry) === plain(name))
  } catch {
    return undefined
  }
}

function plain(name: string): string {
  return composed(name).replace(/\.[a-z]+$/i, (extension) => extension.toLowerCase())
}
