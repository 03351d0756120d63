import { existsSync } from 'node:fs'
import { join, normalize } from 'node:path'
import type { WxrItem } from './wxr.ts'

/** The part of an address below the folder of uploads. */
const BELOW = /\/(?:wp-content\/)?uploads\/(?:sites\/\d{1,9}\/)?([^?#]+)/
/** Matches the end of the name of a picture that was made of a larger one. */
export const SIZED = /-\d{1,5}x\d{1,5}(?=\.\w+$)/

/** The files of media that an export names, by the numbers and by the addresses that texts have for them. */
export class Attachments {
  readonly #folders: readonly string[]
  readonly #urls = new Map<string, { readonly src: string; readonly alt: string }>()

  /** `folders` are those that uploads may lie in; absolute. */
  constructor(folders: readonly string[]) {
    this.#folders = folders.filter((folder) => existsSync(folder))
  }

  get count(): number {
    return this.#urls.size
  }

  get hasFolder(): boolean {
    return this.#folders.length > 0
  }

  add({ texts, meta }: WxrItem): void {
    const { post_id = '', attachment_url = '', guid = '' } = texts
    const src = attachment_url || guid
    if (src !== '') this.#urls.set(post_id, { src, alt: meta._wp_attachment_image_alt ?? '' })
  }

  /** The picture of a number; undefined where the export has none. */
  picture(id: string): { readonly src: string; readonly alt: string } | undefined {
    return this.#urls.get(id)
  }

  /** The absolute paths of the files that an address may mean: as it is, and the picture that a smaller one was made of. */
  pathsOf(href: string): string[] {
    const below = BELOW.exec(href)?.[1]
    if (below === undefined) return []
    const path = decoded(below)
    const names = [path, path.replace(SIZED, '')]
    return this.#folders
      .flatMap((folder) => names.map((name) => ({ folder, path: normalize(join(folder, name)) })))
      .filter(({ folder, path }) => path.startsWith(`${folder}/`))
      .map(({ path }) => path)
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
