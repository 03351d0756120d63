import type { FastifyReply, FastifyRequest } from 'fastify'
import { askedBy } from '#http/requests/write-options.ts'
import { Conflict, Failure, type FieldErrors, Forbidden, InvalidInput } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Resource, Row } from '../../resource.ts'
import type { FormFields } from '../forms/form-values.ts'
import { RecordForm } from '../forms/record-form.ts'
import { leadOn, signedIn } from '../requests/panel.ts'
import { fieldsSent, textOf } from '../requests/sent.ts'
import { addressWith } from '../resources/list-address.ts'
import { urlOf } from '../resources/list-view.ts'
import { moreLinks, moreView } from '../resources/more-links.ts'
import { undoOfChange } from '../resources/undo.ts'
import { type EditForm, UpdatePages } from '../resources/update-pages.ts'
import { fileView } from './file-view.ts'
import { focalChange, focalSent } from './focal-point.ts'
import type { MediaParts } from './grid-pages.ts'
import { crumbsOf, textIn } from './grid-view.ts'
import { useLines } from './uses.ts'

/** Statuses of a refusal after which the page is shown again, with all that was typed. */
const SHOWN_AGAIN: ReadonlySet<number> = new Set([409, 412, 413, 415, 422, 423, 429, 503])

/** The content of the page where it is not as it is stored. */
interface Shown {
  readonly sent?: FormFields | undefined
  readonly base?: string | undefined
  readonly path?: string | undefined
  readonly errors?: FieldErrors | undefined
  readonly messages?: readonly string[]
  readonly status?: number | undefined
}

type EditShown = Parameters<EditForm['draw']>[4]

/** The page of a file: what is said of it, where it is used, its path, its removal. */
export class FilePages implements EditForm {
  readonly #parts: MediaParts
  readonly #updates: UpdatePages

  constructor(parts: MediaParts) {
    this.#parts = parts
    this.#updates = new UpdatePages(parts.panel, this)
  }

  async show(id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.#draw(await this.#row(id, request), request, reply)
  }

  /** Changes what is said of a file as the form says: nothing where it was sent as it came. */
  async update(id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { files } = this.#parts
    const { access } = signedIn(request)
    const row = await this.#row(id, request)
    if (!files.mayUpdate(access, row)) throw new Forbidden('You may see this file, and not change it: another uploaded it.')
    return this.#updates.update(files, id, request, reply)
  }

  /** Reads the focal point that was typed. */
  others(request: FastifyRequest, start: Row): { readonly set: Fields; readonly errors: FieldErrors } {
    return focalRead(fieldsSent(request), start)
  }

  /** Shows the form, with what was sent where it was not taken. */
  draw(_files: Resource, row: Row, request: FastifyRequest, reply: FastifyReply, shown: EditShown = {}): Promise<FastifyReply> {
    const { sent, base, refused } = shown
    const messages = refused?.message === undefined ? [] : [refused.message]
    return this.#draw(row, request, reply, { sent, base, status: refused?.status, errors: refused?.errors, messages })
  }

  /** Gives a file another path; what uses it follows. */
  async move(id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const path = textOf(request, 'path').trim()
    try {
      const moved = await this.#parts.files.move(access, id, path, askedBy(request, undefined))
      return leadOn(reply, `${this.#here(moved.id)}/edit?done=${moved.id === id ? 'nothing' : 'moved'}`)
    } catch (error) {
      return this.refuse(error, id, request, reply, { path })
    }
  }

  /** Shows the page with the reason why something was not done; throws what is no matter of a form. */
  async refuse(
    error: unknown,
    id: string,
    request: FastifyRequest,
    reply: FastifyReply,
    typed: { readonly path?: string } = {},
  ): Promise<FastifyReply> {
    const { status, errors = {}, messages = [] } = refusalOf(error)
    const all = [...messages, ...Object.values(errors).flat()]
    return this.#draw(await this.#row(id, request), request, reply, { ...typed, status, messages: all })
  }

  /** Asks before a file is removed, and says what uses it. */
  async ask(id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.#ask(await this.#removable(id, request), request, reply)
  }

  /** Removes a file; one that is used only where `force` says so: else its page says where, and asks for it. */
  async remove(id: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { files } = this.#parts
    const { access } = signedIn(request)
    const row = await this.#removable(id, request)
    try {
      await files.drop(access, id, { asked: askedBy(request, undefined), force: textOf(request, 'force') === 'true' })
    } catch (error) {
      if (!(error instanceof Conflict)) throw error
      return this.#ask(row, request, reply, `${error.message} Nothing was deleted.`)
    }
    const folder = textIn(row, 'folder')
    return leadOn(reply, addressWith(urlOf(files), { folder: folder === '' ? '' : `${folder}/*`, done: `removed.${id}` }))
  }

  async #ask(row: Row, request: FastifyRequest, reply: FastifyReply, error?: string): Promise<FastifyReply> {
    const { panel, files, all } = this.#parts
    const here = this.#here(row.id)
    const lines = await useLines(all, signedIn(request).access, row)
    const isUsed = lines.length > 0
    return panel.pages.send(request, reply, {
      template: 'confirm',
      title: `Delete ${row.title}`,
      status: error === undefined ? 200 : 409,
      data: {
        crumbs: [...crumbsOf(files, textIn(row, 'folder')), { label: row.title, url: `${here}/edit` }, { label: 'Delete' }],
        heading: `Delete ${row.title}?`,
        sentences: [
          files.removal,
          ...(isUsed
            ? ['It is used in these places: they stay, and lead to nothing then. Change them first, or delete it all the same.']
            : []),
        ],
        items: isUsed ? lines : [],
        form: { action: here, method: 'DELETE', hidden: isUsed ? [{ name: 'force', value: 'true' }] : [] },
        fields: [],
        errors: error === undefined ? [] : [{ id: '', text: error }],
        confirm: { label: isUsed ? 'Delete it all the same' : 'Delete this file', tone: 'danger filled' },
        cancel: { label: 'Keep it', url: `${here}/edit` },
      },
    })
  }

  async #draw(row: Row, request: FastifyRequest, reply: FastifyReply, shown: Shown = {}): Promise<FastifyReply> {
    const { panel, files, all } = this.#parts
    const { access } = signedIn(request)
    const { sent, base = row.version ?? '', path, errors = {}, messages = [], status = 200 } = shown
    const form = this.#form(row, request)
    const { fields, others } = form.draw({ errors, ...(sent && { sent }) })
    const wrong = fields.flatMap(({ id, error }) => (error === undefined ? [] : [{ id, text: error }]))
    const focalWrong = (['focal_x', 'focal_y'] as const).flatMap((name) =>
      (errors[name] ?? []).map((text) => ({ id: `f-${name.replace('_', '-')}`, text })),
    )
    const shownElsewhere = new Set(focalWrong.map(({ text }) => text))
    const rest = [...messages, ...others.filter((text) => !shownElsewhere.has(text))].map((text) => ({ id: '', text }))
    const more = moreView(await moreLinks(files, access, row))
    const data = fileView({
      files,
      row,
      fields,
      may: {
        update: files.mayUpdate(access, row),
        move: files.mayMove(access, row),
        remove: files.mayRemove?.(access, row) ?? false,
      },
      uses: await useLines(all, access, row),
      telling: { ...panel.site, now: panel.clock.now() },
      base,
      focal: sent && focalSent(fieldsSent(request)),
      path,
      errors: [...rest, ...wrong, ...focalWrong],
    })
    const undo = await undoOfChange(panel, files, row, request)
    return panel.pages.send(request, reply, { template: 'media-edit', title: row.title, status, data: { ...data, more }, undo })
  }

  #form(row: Row, request: FastifyRequest): RecordForm {
    const { files, panel } = this.#parts
    const { access } = signedIn(request)
    const mayUpdate = files.mayUpdate(access, row)
    return new RecordForm({
      fields: files.fields(access, row),
      record: row.values,
      zone: panel.site.timezone,
      isReadOnly: () => !mayUpdate,
    })
  }

  async #row(id: string, request: FastifyRequest): Promise<Row> {
    return this.#parts.files.get(signedIn(request).access, id)
  }

  async #removable(id: string, request: FastifyRequest): Promise<Row> {
    const { files } = this.#parts
    const row = await this.#row(id, request)
    if (!files.mayUpdate(signedIn(request).access, row)) throw new Forbidden('You may not delete this file: another uploaded it.')
    return row
  }

  #here(id: string): string {
    return `${urlOf(this.#parts.files)}/${encodeURIComponent(id)}`
  }
}

function focalRead(sent: FormFields, { values }: Row): { readonly set: Fields; readonly errors: FieldErrors } {
  try {
    return { set: focalChange(focalSent(sent), values.focal_point), errors: {} }
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error
    return { set: {}, errors: error.errors }
  }
}

function refusalOf(error: unknown): {
  readonly status: number
  readonly errors?: FieldErrors
  readonly messages?: readonly string[]
} {
  if (error instanceof InvalidInput) return { status: 422, errors: error.errors }
  if (!(error instanceof Failure) || !SHOWN_AGAIN.has(error.status)) throw error
  return { status: error.status, messages: [sentenceOf(error)] }
}

function sentenceOf({ message, hint }: Failure): string {
  return hint === undefined ? message : `${message} ${hint}`
}
