import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RevisionView } from '#http/past/revisions.ts'
import type { QueryParams } from '#http/requests/query.ts'
import { askedBy } from '#http/requests/write-options.ts'
import { NotFound } from '#lib/errors.ts'
import type { Past, Resource, Row } from '../../resource.ts'
import { changesView } from '../comparing/changes-view.ts'
import { dayWithin, momentWithin } from '../rendering/days.ts'
import type { Telling } from '../rendering/moments.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import { textOf } from '../requests/sent.ts'
import { versionIn } from './form-outcomes.ts'
import { fieldsOf } from './form-view.ts'
import { pageOf, timelineOf, titleOf } from './history-view.ts'
import { urlOf } from './list-view.ts'
import { mayRestore, mayTurnBack } from './restoring.ts'

const PER_PAGE = '30'

/** A revision that is shown, and what there is now. */
interface Shown {
  readonly id: string
  readonly ts: string
  readonly revision: RevisionView | undefined
  /** It as it is now; undefined where it was removed. */
  readonly row: Row | undefined
  /** The newest revision. */
  readonly newest: string | undefined
  readonly isWithNow: boolean
  readonly page: number
}

/** The past of one thing: its revisions, what each changed, and the way back. */
export class HistoryPages {
  readonly #panel: Panel

  constructor(panel: Panel) {
    this.#panel = panel
  }

  /** Shows the revisions, and the difference that one of them made: the newest, where none is named. */
  async show(
    resource: Resource,
    { id, ts: named }: { readonly id: string; readonly ts?: string | undefined },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const past = pastOf(resource)
    const { page = '1', against } = request.query as QueryParams
    const { data: revisions, meta } = await past.list(access, id, { page, per_page: PER_PAGE })
    const ts = named ?? revisions[0]?.ts
    const newest = meta.current_page === 1 ? revisions[0]?.ts : (await past.list(access, id, { per_page: '1' })).data[0]?.ts
    const row = await rowNow(resource, id, request)
    const title = row?.title ?? id
    const url = `${urlOf(resource)}/${encodeURIComponent(id)}`
    const telling = this.#telling()
    const revision = revisions.find((one) => one.ts === ts)
    const isWithNow = against === 'now' && ts !== newest && row !== undefined
    const first = meta.last_page === meta.current_page ? revisions.at(-1) : undefined
    return this.#panel.pages.send(request, reply, {
      template: 'history',
      title: `History · ${title}`,
      data: {
        crumbs: [
          { label: resource.label, url: urlOf(resource) },
          { label: title, ...(row && { url: `${url}/edit` }) },
          { label: 'History' },
        ],
        heading: 'History',
        count: `${meta.total === 1 ? 'One version' : `${meta.total} versions`}${first ? ` since ${dayWithin(first.created_at, telling)}` : ''}`,
        ...timelineOf({ url: `${url}/revisions`, revisions, meta, ts, telling }),
        ...(ts !== undefined && {
          shown: await this.#shown(resource, { id, ts, revision, row, newest, isWithNow, page: meta.current_page }, request),
        }),
        none: isWithNow ? 'It is now as it was then.' : 'Nothing else was changed.',
      },
    })
  }

  /** Makes it what it was in a revision. */
  async restore(
    resource: Resource,
    { id, ts }: { readonly id: string; readonly ts: string },
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const base = textOf(request, 'base') === 'absent' ? 'absent' : versionIn(request, 'base')
    const isUndo = textOf(request, 'undo') === 'true'
    const write = { asked: askedBy(request, undefined), base, isUndo }
    const isChanged = await pastOf(resource).rollback(access, id, ts, write)
    const done = isUndo ? 'undone' : isChanged ? 'restored' : 'nothing'
    return leadOn(reply, `${urlOf(resource)}/${encodeURIComponent(id)}/edit?done=${done}`)
  }

  async #shown(resource: Resource, shown: Shown, request: FastifyRequest): Promise<object> {
    const { access } = signedIn(request)
    const { id, ts, revision, row, newest, isWithNow, page } = shown
    const past = pastOf(resource)
    const here = `${urlOf(resource)}/${encodeURIComponent(id)}`
    const differences =
      isWithNow && newest !== undefined ? await past.diff(access, id, newest, ts) : await past.diff(access, id, ts)
    const fields = fieldsOf(resource, access, row)
    const url = pageOf(`${here}/revisions/${ts}`, page)
    const mayChange = row ? mayTurnBack(resource, access, row) : mayRestore(resource, access)
    const isGone = revision?.action === 'deleted'
    return {
      heading: headingOf(revision, this.#telling()),
      segments:
        row && ts !== newest
          ? [
              { label: 'With the one before', url, is_current: !isWithNow },
              { label: 'With now', url: `${url}${page > 1 ? '&' : '?'}against=now`, is_current: isWithNow },
            ]
          : [],
      hash: revision?.commit?.slice(0, 7) ?? '',
      ...(mayChange && !isGone && (await past.source?.(access, id, ts)) && { file_url: `${here}/revisions/${ts}/file` }),
      ...(mayChange &&
        !isGone &&
        !revision?.current && {
          restore: {
            action: `${here}/rollback/${ts}`,
            label: 'Restore this version',
            base: row ? (row.version ?? '') : 'absent',
          },
          sentence: sentenceOf(resource, row),
        }),
      changes: changesView(differences, fields, this.#panel.site.timezone),
    }
  }

  #telling(): Telling {
    const { site, clock } = this.#panel
    return { locale: site.locale, timezone: site.timezone, now: clock.now() }
  }
}

/** Returns the revisions of a resource; throws NotFound where there are none. */
export function pastOf({ past }: Resource): Past {
  if (!past) throw new NotFound('There is no such page.')
  return past
}

/** It as it is now; undefined where it was removed: what is left of it is for those whom the history knows. */
async function rowNow(resource: Resource, id: string, request: FastifyRequest): Promise<Row | undefined> {
  try {
    return await resource.get(signedIn(request).access, id)
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}

function headingOf(revision: RevisionView | undefined, telling: Telling): string {
  if (!revision) return 'As it was then'
  const { author, created_at } = revision
  const title = titleOf(revision)
  return `${author.name}: ${title.charAt(0).toLowerCase()}${title.slice(1)}, ${momentWithin(created_at, telling)}`
}

function sentenceOf({ singular }: Resource, row: Row | undefined): string {
  if (!row) return `Restoring brings this ${singular} back as it was here, with its status. All versions stay as they are.`
  const status = row.status === undefined ? '' : ` Its status stays ${row.status.replaceAll('_', ' ')}.`
  return `Restoring adds a new version with this content.${status} All versions stay as they are.`
}
