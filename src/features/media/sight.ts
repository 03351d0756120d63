import type { Access } from '#core/access/access.ts'
import type { Head } from '#core/document.ts'
import { MEDIA } from '#core/key.ts'
import { isWithin } from '#core/queries/extent.ts'
import { SETTINGS, type Setting } from '#core/settings.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import { Slices, sortedInSlices } from '#lib/concurrency/slices.ts'
import { Forbidden, NotFound } from '#lib/errors.ts'
import { compareText } from '#lib/text/compare.ts'
import { isKnown, seesAll } from '../records/rights.ts'
import { unreadable } from '../records/unreadable.ts'
import type { Entry } from './library.ts'
import type { UsedBy } from './schema.ts'
import type { UseIndex } from './uses/use-index.ts'
import type { Use } from './uses/use-table.ts'

/** The dependencies of sight. */
export interface SightDeps {
  readonly types: ContentTypes
  readonly settings: ReadonlyMap<string, Setting>
  readonly clock: Clock
  readonly uses: UseIndex
}

/** A media file as far as a reader's rights go by it. */
export interface Owned {
  readonly head: Pick<Head, 'fields'> | undefined
}

const WRITE = 'media:write'

/** Tells what a reader may know of the uses of media, and so of media. */
export class Sight {
  readonly #deps: SightDeps

  constructor(deps: SightDeps) {
    this.#deps = deps
  }

  /**
   * The uses of a media file that a reader may know of, as of the last look at the uses; undefined where it is not there for the
   * reader: if records use it that the reader may not see, and beside these at most drafts of the reader's own, which anybody can
   * have name it.
   */
  async usedBy(access: Access, media: Pick<Entry, 'key' | 'head'>, slices = new Slices()): Promise<UsedBy[] | undefined> {
    const seen: UsedBy[] = []
    let [isShown, isHidden] = [false, false]
    for (const use of this.#deps.uses.usesOf(media.key.id)) {
      if (slices.isOver) await slices.pause()
      const told = this.#seen(access, use)
      if (told) seen.push(told)
      isShown ||= told !== undefined && this.#shows(access, use)
      isHidden ||= told === undefined && this.#isRecord(use)
    }
    if (!isShown && isHidden && !isOwn(access, media)) return undefined
    return sortedInSlices(seen, (a, b) => compareText(a.type, b.type) || compareText(a.id, b.id), slices)
  }

  /** As `usedBy`, without the uses: whether the reader may know of one; undefined where it is not there for the reader. */
  async isUsed(access: Access, media: Pick<Entry, 'key' | 'head'>, slices = new Slices()): Promise<boolean | undefined> {
    let [isSeen, isHidden] = [false, false]
    for (const use of this.#deps.uses.usesOf(media.key.id)) {
      if (slices.isOver) await slices.pause()
      if (!this.#seen(access, use)) isHidden ||= this.#isRecord(use)
      else if (this.#shows(access, use)) return true
      else isSeen = true
    }
    return isHidden && !isOwn(access, media) ? undefined : isSeen
  }

  /** Resolves with whether a media file is there for a reader now. */
  async isThere(access: Access, media: Pick<Entry, 'key' | 'head'>): Promise<boolean> {
    await this.#deps.uses.refresh()
    return (await this.isUsed(access, media)) !== undefined
  }

  #isRecord({ user }: Use): boolean {
    return this.#deps.types.get(user.key.kind) !== undefined
  }

  /** True for what a reader sees by more than being its author. */
  #shows(access: Access, { user }: Use): boolean {
    const type = this.#deps.types.get(user.key.kind)
    if (!type || seesAll(access, type.name)) return true
    return isWithin('live', user.fields, type.statuses, this.#deps.clock.now())
  }

  #seen(access: Access, { user, setting }: Use): UsedBy | undefined {
    const { kind, id } = user.key
    if (kind === SETTINGS) {
      const isOpen = this.#deps.settings.get(setting ?? '')?.isPublic === true || access.may('settings:write')
      return isOpen ? { type: 'setting', id: setting ?? id } : undefined
    }
    const type = this.#deps.types.get(kind)
    if (!type) return { type: 'menu', id }
    return isKnown(access, type, user, this.#deps.clock.now()) ? { type: kind, id } : undefined
  }
}

/** Returns the reach of the right to change media: a file is a caller's own if they uploaded it. */
export function reachOf(access: Access): 'all' | 'own' | 'none' {
  if (access.may(WRITE)) return 'all'
  const reach = access.reach(WRITE, MEDIA)
  return reach === 'own-drafts' ? 'own' : reach
}

/** Throws Forbidden for a caller who may change no media at all. */
export function mustHoldWrite(access: Access): void {
  if (reachOf(access) === 'none') throw new Forbidden('This needs the right media:write.')
}

/** Throws Forbidden for a caller who may not change this one. */
export function mustReach(access: Access, media: Owned): void {
  const reach = reachOf(access)
  if (reach === 'all' || (reach === 'own' && isOwn(access, media))) return
  throw new Forbidden('This needs the right media:write for all; yours is for what you uploaded.')
}

/** Returns whether the caller uploaded a file. */
export function isOwn({ handle }: Access, { head }: Owned): boolean {
  return handle !== undefined && handle !== '' && head?.fields.uploaded_by === handle
}

/** Throws Unreadable for a media file whose sidecar can't be read. */
export function mustBeReadable(access: Access, { head }: { readonly head: Pick<Head, 'problem'> | undefined }): void {
  if (head?.problem?.severity === 'error') throw unreadable(access, head.problem, MEDIA)
}

/** The error for a media file that is not there for a reader. */
export function notFound(): NotFound {
  return new NotFound('The media file was not found.')
}
