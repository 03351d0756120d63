import type { Head } from '#core/document.ts'
import type { MediaIds } from './uses-in.ts'

/** A document that uses media: of its fields what a reader's rights to it depend on. */
export type User = Pick<Head, 'key' | 'fields' | 'problem'>

/** A use of a media file: by a record, a menu or a setting. */
export interface Use {
  readonly user: User
  /** The key of the setting, where the user holds settings: `site.logo`. */
  readonly setting?: string
}

/** A user, and the ids of the media it uses: by the settings that name them; all of a record or a menu by ''. */
export interface UserOf {
  readonly user: User
  readonly ids: ReadonlyMap<string, MediaIds>
}

/** Uses of media, by user and by media. */
export class UseTable {
  readonly #known = new Map<string, UserOf>()
  readonly #users = new Map<string, Set<string>>()

  /** Sets what a user, by the text of its key, uses now; undefined for nothing. */
  set(name: string, now: UserOf | undefined): void {
    const [before, after] = [idsOf(this.#known.get(name)), idsOf(now)]
    for (const id of before) if (!after.has(id)) this.#drop(id, name)
    for (const id of after) this.#users.set(id, (this.#users.get(id) ?? new Set()).add(name))
    if (now) this.#known.set(name, now)
    else this.#known.delete(name)
  }

  /** The uses of a media file, one by one; what is set meanwhile may be among them. */
  *usesOf(id: string): Generator<Use> {
    for (const name of [...(this.#users.get(id) ?? [])]) {
      const known = this.#known.get(name)
      for (const [setting, ids] of known?.ids ?? [])
        if (known && ids.has(id)) yield { user: known.user, ...(setting !== '' && { setting }) }
    }
  }

  #drop(id: string, name: string): void {
    const names = this.#users.get(id)
    names?.delete(name)
    if (names?.size === 0) this.#users.delete(id)
  }
}

function idsOf(user: UserOf | undefined): MediaIds {
  return new Set([...(user?.ids.values() ?? [])].flatMap((ids) => [...ids]))
}
