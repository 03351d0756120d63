import type { Access } from '#core/access/access.ts'
import type { Document } from '#core/document.ts'
import type { Asked } from '#core/history/revision.ts'
import { type Key, keyText, lastSegment, MEDIA } from '#core/key.ts'
import type { ScanThread } from '#core/links/scan-thread.ts'
import { endingOf } from '#core/media/attachments.ts'
import { mediaUrl, mimeOfEnding, type SiteAddress } from '#core/media/media.ts'
import { ALL_GROUPS, SETTINGS, type Setting } from '#core/settings.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes, Field } from '#core/types/content-type.ts'
import type { Clock } from '#lib/clock.ts'
import { Conflict, InvalidInput, Stale } from '#lib/errors.ts'
import { type Followed, type OwnChange, writeBatch } from '../records/links/address-change.ts'
import { Following } from '../records/links/following.ts'
import { menuChange } from '../records/links/menu-links.ts'
import { type Redirect, relinked } from '../records/links/relinking.ts'
import { isKnown } from '../records/rights.ts'
import { noteOf } from '../records/writing/commit-messages.ts'
import { checkedKey } from '../records/writing/new-id.ts'
import { folderFault } from './folders.ts'
import { type KeepingDeps, keepBytes } from './kept-bytes.ts'
import { pathOf } from './library.ts'
import { aliasesOf } from './sidecar.ts'
import { linkAfterMove, type MediaMove, NOWHERE, valueAfterMove } from './uses/links-to-media.ts'
import { type Said, withStrings } from './uses/strings.ts'
import type { UseIndex } from './uses/use-index.ts'
import type { User } from './uses/use-table.ts'
import { vantageOf } from './uses/uses-in.ts'
import { folderOf } from './view.ts'

/** The dependencies of moves. */
export interface MovingDeps extends KeepingDeps {
  readonly store: Store
  readonly types: ContentTypes
  readonly clock: Clock
  readonly settings: ReadonlyMap<string, Setting>
  readonly site: SiteAddress
  readonly uses: UseIndex
  readonly scanner: ScanThread
}

/** A media file after a move, and what followed it. */
export interface MovedMedia extends Followed {
  readonly document: Document
}

const TRIES = 10

/** Returns the key that a media file is to be moved to; throws InvalidInput where that can't be, or has an ending of another type. */
export function movedKey(from: Key, id: string): Key {
  const to = checkedKey(MEDIA, id)
  const fault = folderFault(to.id.split('~').slice(0, -1))
  if (fault && folderOf(to.id) !== folderOf(from.id)) throw new InvalidInput({ id: [`The folder of the id ${fault}.`] })
  const [was, is] = [from, to].map(({ id }) => endingOf(lastSegment(id)))
  const type = mimeOfEnding(from.id)
  if (was === is || (type === mimeOfEnding(to.id) && type !== mimeOfEnding(''))) return to
  throw new InvalidInput({ id: [`The id must end in .${was}, as the file does now.`] })
}

/**
 * Moves a media file with its bytes. What uses it is rewritten in the same step, whoever may write it, and its old address leads
 * to the new one.
 */
export async function moveMedia(deps: MovingDeps, access: Access, before: Document, to: Key, asked?: Asked): Promise<MovedMedia> {
  const move = { from: before.key, to }
  await mustBeFree(deps, move)
  const aliases = aliasesOf(to, [before, { fields: { aliases: mediaUrl(before.key.id) } }])
  const own: OwnChange = { key: to, from: before.key, put: { set: { aliases } }, expects: before.version }
  await keepBytes(deps, before.key)
  const note = noteOf('moved', before.key, asked, ` to ${to.id}`)
  for (let tries = 1; ; tries++) {
    await deps.uses.refresh()
    const { others, left } = await followed(deps, access, move)
    try {
      const { documents, ...all } = await writeBatch(deps, access, note, { own: [own], others, left })
      const [document] = documents
      if (!document) throw new Error('The store gave no document back for a move.')
      return { document, ...all }
    } catch (error) {
      // What others wrote meanwhile is looked at again; the file itself is the concern of the caller.
      const isStill = (await deps.store.get(before.key))?.version === before.version
      if (!(error instanceof Stale) || !isStill || tries === TRIES) throw error
    }
  }
}

/** Throws Conflict where a file without a sidecar is there already, as some disks see it: in another case it may be the file itself. */
async function mustBeFree({ siteFiles }: MovingDeps, { from, to }: MediaMove): Promise<void> {
  if (from.id.toLowerCase() === to.id.toLowerCase() || !(await siteFiles.isTaken('content', pathOf(to)))) return
  throw new Conflict(`"${to.id}" is taken by a file whose name differs at most in the case of its letters.`)
}

async function followed(deps: MovingDeps, access: Access, move: MediaMove) {
  const following = new Following()
  const users = new Map([...deps.uses.usesOf(move.from.id)].map(({ user }) => [keyText(user.key), user]))
  for (const user of users.values()) await follow(deps, user, move, following)
  const { types, clock } = deps
  const now = clock.now()
  return following.result((head) => {
    const type = types.get(head.key.kind)
    if (type) return isKnown(access, type, head, now)
    return head.key.kind !== SETTINGS || access.may('settings:write')
  })
}

async function follow({ store, types, settings, site, scanner }: MovingDeps, user: User, move: MediaMove, following: Following) {
  const document = await store.get(user.key)
  if (!document) return
  const { key, fields } = document
  if (document.problem?.severity === 'error') return following.leave(document)
  const type = types.get(key.kind)
  if (!type && key.kind !== SETTINGS) {
    const address = (text: string) => linkAfterMove({ text, form: 'plain' }, NOWHERE, site, move)
    return following.lead(document, menuChange(document, { address }))
  }
  const from = type ? vantageOf(type, document) : NOWHERE
  const declared = type?.fields ?? declaredIn(key.id, settings)
  const set = withStrings(fields, declared, (said) => valueAfter(said, site, move))
  const redirect: Redirect = (link) => linkAfterMove(link, from, site, move)
  const relinking = await relinked(document, { fields: declared, wikilinks: type?.wikilinks ?? false }, redirect, scanner, {
    ...fields,
    ...set,
  })
  const all = { ...set, ...relinking?.put.set }
  const put = { ...relinking?.put, ...(Object.keys(all).length > 0 && { set: all }) }
  following.follow(document, { put, isSure: relinking?.isSure ?? true })
}

/** A value after a move; of texts, and of fields of the type url, the links are rewritten as links are. */
function valueAfter({ field, text }: Said, site: SiteAddress, move: MediaMove): string | undefined {
  if (field?.type === 'markdown' || field?.type === 'url') return undefined
  if (field?.type === 'media') return valueAfterMove(text, site, move)
  return linkAfterMove({ text, form: 'plain' }, NOWHERE, site, move)
}

/** The declared fields of a document of settings: of one group, or each group as an object. */
function declaredIn(id: string, settings: ReadonlyMap<string, Setting>): Map<string, Field> {
  const groups = new Map<string, Map<string, Field>>()
  for (const { group, name, field } of settings.values()) groups.set(group, (groups.get(group) ?? new Map()).set(name, field))
  if (id !== ALL_GROUPS.id) return groups.get(id) ?? new Map()
  return new Map([...groups].map(([name, fields]) => [name, { name, type: 'object', label: name, rules: [], fields }]))
}
