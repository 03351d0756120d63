import type { Access } from '#core/access/access.ts'
import type { Version } from '#core/document.ts'
import type { Key } from '#core/key.ts'
import { Cache } from '#lib/cache.ts'
import { isOpenTo } from './sight.ts'
import { everyItem } from './tree.ts'
import type { KnownMenu } from './view.ts'

/** The items of a version of a menu that a reader was shown: in each answer, or in any. Those are left out that always are shown. */
export interface Answered {
  readonly always: ReadonlySet<string>
  readonly ever: ReadonlySet<string>
}

const MOST_BYTES = 8 * 1024 * 1024
/** Approximate bytes of an id in a set. */
const ID_BYTES = 60

/**
 * The items that readers were lately shown, kept in memory: a record comes into sight, or goes out of it, while the menu that leads
 * to it stays as it is.
 */
export class AnsweredMenus {
  readonly #known = new Cache<Answered>({ bytes: MOST_BYTES, sizeOf: ({ always, ever }) => (always.size + ever.size) * ID_BYTES })

  /** Takes in what a reader is answered. */
  remember(access: Access, { document, all, shown }: KnownMenu): void {
    if ([...everyItem(all)].every(({ target }) => isOpenTo(access, target))) return
    const ids = [...everyItem(shown)].filter(({ target }) => !isOpenTo(access, target)).map(({ id }) => id)
    const { key, version } = document
    const before = this.find(access, key, version)
    const always = new Set(before ? ids.filter((id) => before.always.has(id)) : ids)
    this.#known.set(nameOf(access, key, version), { always, ever: new Set([...(before?.ever ?? []), ...ids]) })
  }

  /** Undefined where nothing is known of it. */
  find(access: Access, key: Key, version: Version): Answered | undefined {
    return this.#known.get(nameOf(access, key, version))
  }
}

function nameOf({ id, fingerprint }: Access, key: Key, version: Version): readonly string[] {
  return [id, fingerprint, key.id, version]
}
