import type { FastifyReply, FastifyRequest } from 'fastify'
import type { QueryParams } from '#http/requests/query.ts'
import { askedBy } from '#http/requests/write-options.ts'
import { Conflict, Failure, InvalidInput, NotFound } from '#lib/errors.ts'
import type { FileResource } from '../../file-resource.ts'
import type { Resources, Row } from '../../resource.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import { fieldsSent, sendJson, textOf } from '../requests/sent.ts'
import { addressWith, backOf } from '../resources/list-address.ts'
import { ListPages, listsDeleted } from '../resources/list-pages.ts'
import { deletedButton, urlOf } from '../resources/list-view.ts'
import { idsOf, wordsOfSeveral } from '../resources/selected.ts'
import { type Acted, newsOf, UndoOfSeveral } from '../resources/undo-of-several.ts'
import { folderIn, gridView } from './grid-view.ts'
import { useLines } from './uses.ts'

/** The parameters that the list takes. */
const KNOWN = ['page', 'q', 'sort', 'type', 'unused', 'alt', 'folder'] as const
const PER_PAGE = 24

/** Things that the page shows beside the list. */
export interface BesideGrid {
  readonly status?: number
  readonly notices?: readonly object[]
  readonly errors?: readonly string[]
  /** The folder of the form to upload, as it was typed. */
  readonly typedFolder?: string
}

/** The parts of the pages of media. */
export interface MediaParts {
  readonly panel: Panel
  readonly files: FileResource
  /** All resources, for what uses a file. */
  readonly all: readonly Resources[]
}

/** The grid of files, and the removal of those that are selected. */
export class GridPages {
  readonly #parts: MediaParts

  constructor(parts: MediaParts) {
    this.#parts = parts
  }

  /** Shows the part that the address asks for; with `format=json` as JSON, for scripts that offer files to choose from. */
  async show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { files } = this.#parts
    const { access } = signedIn(request)
    if (!files.sees(access)) throw new NotFound('There is no such page.')
    const { format, deleted } = request.query as QueryParams
    if (deleted === 'true' && files.past) return new ListPages(this.#parts.panel).showDeleted(files, request, reply)
    if (format !== 'json') return this.draw(request, reply)
    const { rows, total, page, perPage } = await files.list(access, asked(request))
    return sendJson(reply, 200, { data: rows.map(choiceOf), meta: { total, page, per_page: perPage } })
  }

  async draw(request: FastifyRequest, reply: FastifyReply, beside: BesideGrid = {}): Promise<FastifyReply> {
    const { panel, files } = this.#parts
    const { access } = signedIn(request)
    const params = given(request)
    const [rows, summary] = await Promise.all([files.list(access, asked(request)), files.summary(access, folderIn(params))])
    const { status = 200, notices = [], errors = [], typedFolder } = beside
    const data = gridView({ files, access, params, rows, summary, locale: panel.site.locale, typedFolder })
    const buttons = (await listsDeleted(files, access)) ? [deletedButton(files)] : []
    const news = await newsOf(panel, files, request)
    return panel.pages.send(request, reply, {
      template: 'media',
      title: files.label,
      status,
      words: news.words,
      undo: news.undo,
      data: { ...data, buttons, notices: [...news.notices, ...notices], errors: errors.map((text) => ({ id: '', text })) },
    })
  }

  /** Removes the selected files, once that was asked: what is used only where its page said so. */
  async act(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { files, panel } = this.#parts
    const { access } = signedIn(request)
    const undo = new UndoOfSeveral(panel)
    if (textOf(request, 'action') === 'undo')
      return leadOn(reply, addressWith(backOf(files, textOf(request, 'back')), await undo.undo(files, request)))
    if (textOf(request, 'action') !== 'delete') throw new NotFound(`There is no action "${textOf(request, 'action')}" here.`)
    const { ids, sure, force } = fieldsSent(request)
    const chosen = idsOf(ids)
    const back = backOf(files, textOf(request, 'back') || request.url)
    if (sure === undefined) return this.#ask(request, reply, { chosen, back })
    const forced = new Set(force === undefined ? [] : idsOf(force))
    const left: string[] = []
    const errors: string[] = []
    const gone: Acted[] = []
    for (const id of chosen) {
      try {
        const { title, version = '' } = await files.get(access, id)
        await files.drop(access, id, { asked: askedBy(request, undefined), force: forced.has(id) })
        gone.push({ id, title, was: version, version: null })
      } catch (error) {
        if (!(error instanceof Failure) || error.status >= 500) throw error
        if (error instanceof Conflict) left.push(id)
        errors.push(`${id}: ${error.message}`)
      }
    }
    if (errors.length === 0) {
      const told = await undo.keep(request, files, gone, wordsOfSeveral(files, gone.length, 'deleted'))
      return leadOn(reply, addressWith(back, { done: 'removed', ...told }))
    }
    if (left.length === 0) throw new InvalidInput({ ids: errors }, `Not all were deleted. ${errors.join(' ')}`)
    return this.#ask(request, reply, { chosen: left, back, errors })
  }

  async #ask(
    request: FastifyRequest,
    reply: FastifyReply,
    { chosen, back, errors = [] }: { chosen: readonly string[]; back: string; errors?: readonly string[] },
  ): Promise<FastifyReply> {
    const { panel, files, all } = this.#parts
    const { access } = signedIn(request)
    const rows: Row[] = []
    for (const id of chosen) rows.push(await files.get(access, id))
    const lines = await Promise.all(rows.map((row) => useLines(all, access, row)))
    const used = rows.filter((_, n) => (lines[n] ?? []).length > 0)
    const what = rows.length === 1 ? 'this file' : `${rows.length} files`
    return panel.pages.send(request, reply, {
      template: 'confirm',
      title: `Delete ${what}`,
      status: errors.length > 0 ? 409 : 200,
      data: {
        crumbs: [{ label: files.label, url: back }, { label: 'Delete' }],
        heading: `Delete ${what}?`,
        sentences: [
          files.removal,
          ...(used.length > 0
            ? ['Where a file is used, its place stays and leads to nothing. Those places are named below.']
            : []),
        ],
        items: rows.map((row, n) => ({
          title: row.title,
          url: `${urlOf(files)}/${encodeURIComponent(row.id)}/edit`,
          icon: used.includes(row) ? 'warning' : files.icon,
          note: (lines[n] ?? []).length > 0 ? `Used in ${(lines[n] ?? []).map(({ title }) => title).join(', ')}` : 'Used nowhere',
        })),
        form: {
          action: urlOf(files),
          method: 'PUT',
          hidden: [
            ...rows.map(({ id }) => ({ name: 'ids[]', value: id })),
            ...used.map(({ id }) => ({ name: 'force[]', value: id })),
            { name: 'back', value: back },
            { name: 'sure', value: 'yes' },
          ],
        },
        fields: [],
        errors: errors.map((text) => ({ id: '', text })),
        confirm: {
          label: used.length > 0 ? `Delete ${what} all the same` : `Delete ${what}`,
          name: 'action',
          value: 'delete',
          tone: 'danger filled',
        },
        cancel: { label: 'Leave them', url: back },
      },
    })
  }
}

/** The parameters of an address, without those that are empty. */
function given({ query }: FastifyRequest): QueryParams {
  return Object.fromEntries(Object.entries(query as QueryParams).filter(([, value]) => value !== ''))
}

function asked(request: FastifyRequest): QueryParams {
  const params = given(request)
  const known = KNOWN.flatMap((name): [string, string][] => (params[name] === undefined ? [] : [[name, params[name]]]))
  return { ...Object.fromEntries(known), per_page: String(PER_PAGE) }
}

/** A file to choose, for scripts. */
function choiceOf({ id, title, url, values }: Row) {
  const { path, alt = null, mime_type, kind, width, height, thumbnail } = values
  return { id, path, url, filename: title, alt, mime_type, kind, width, height, thumbnail }
}
