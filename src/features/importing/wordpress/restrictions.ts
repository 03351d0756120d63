import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RESTRICTING } from '../restricting-words.ts'

/** Matches names of notes by which plugins show a text to some readers alone. */
const CLOSED =
  /(?:^|[_-])(?:restrict(?:ed|ions?)?|paywall|private|protected|members?[_-](?:only|access)|newsletter[_-]access|(?:subscription|user|access)[_-]levels?|access[_-](?:roles?|plans?)|is[_-]paid|groups[_-]read|patreon[_-]level|page[_-]visibility|requires?[_-]login|login[_-]required|wpmem[_-]block|ihc[_-]mb[_-]who|memberful[_-]acl|pda[_-]protection|passwords?)(?:[_-]|$)/i
/** Values of such a note that leave a text to everyone. */
const OPEN = /^\s*(?:0|no|off|false|none|all|any|everyone|everybody|public|visible|default|a:0:\{\})?\s*$/i
/** Words in names of shortcodes that keep from some what they are around; plugins for members begin all of theirs with one. */
const WORDS = `${RESTRICTING}|\\bs2if|\\bmepr-|\\bmemb_|\\barm_|\\bgroups_|\\bum_|\\bihc-|\\bpmpro|\\bswpm|\\bwlm_|\\barmif\\b|passster|\\bppwp?\\b|visibility|\\bdraft\\b|\\bcomment\\b|email[-_]?only|user[-_]?only|\\badmin|\\broles?\\b|\\bexpire`
/** Matches the end of a shortcode, and the beginning of a block, that keep from some what they are around. */
const CLOSING = new RegExp(`\\[/[\\w-]{0,60}(?:${WORDS})[\\w-]{0,60}\\]`, 'i')
const BLOCK = new RegExp(
  `<!-- wp:(?:[\\w-]{0,60}/)?[\\w-]{0,60}(?:${RESTRICTING})|"blockVisibility":\\s*(?:\\{|false)|"hideBlock":true`,
  'i',
)

/** Matches folders of uploads that plugins keep what is sold, and what visitors sent, in. */
const KEPT =
  /(?:^|\/)(?:woocommerce_uploads|edd|_pda|private|protected|gravity_forms|wpforms|wpcf7_uploads|ninja-forms|formidable|forminator)\//i
const DENIED = /^[^\S\n]*(?:deny\s+from\s+all|require\s+all\s+denied)/im
/** The part of a configuration that is about some names alone. */
const OF_SOME = /<Files(?:Match)?\b[^>]{0,500}>[\s\S]{0,2000}?<\/Files(?:Match)?>/gi

/** The texts and the notes of an item, by their names. */
interface Noted {
  readonly texts: Readonly<Record<string, string>>
  readonly meta: Readonly<Record<string, string>>
}

/** Returns whether a note of an item may say that not everyone reads it. */
export function isRestriction(key: string): boolean {
  return CLOSED.test(key) && !key.includes('force_public')
}

/** Returns whether such a note has a value that leaves the item to everyone. */
export function leavesOpen(value: string): boolean {
  return OPEN.test(value)
}

/** The reason why not everyone could read an item, or all of it, by the words of plugins. */
export function restrictedBy({ texts, meta }: Noted): string | undefined {
  const [key] = Object.entries(meta).find(([name, value]) => isRestriction(name) && !leavesOpen(value)) ?? []
  if (key !== undefined) return `a plugin showed them to some readers alone (${key})`
  const { encoded = '' } = texts
  return CLOSING.test(encoded) || BLOCK.test(encoded) ? 'parts of them were for some readers alone' : undefined
}

/** Tells which files of a folder of uploads its web server did not give to everyone. */
export class KeptUploads {
  readonly #root: string
  readonly #known = new Map<string, Promise<boolean>>()

  constructor(root: string) {
    this.#root = root
  }

  /** Returns whether the file at a path of the folder is kept from the public. */
  async has(path: string): Promise<boolean> {
    if (KEPT.test(path)) return true
    const folders = path.split('/').slice(0, -1)
    for (const [n] of ['', ...folders].entries()) if (await this.#isDenied(folders.slice(0, n).join('/'))) return true
    return false
  }

  #isDenied(folder: string): Promise<boolean> {
    const found =
      this.#known.get(folder) ??
      readFile(join(this.#root, folder, '.htaccess'), 'utf8').then(
        (text) => DENIED.test(text.slice(0, 64 * 1024).replace(OF_SOME, '')),
        () => false,
      )
    this.#known.set(folder, found)
    return found
  }
}
