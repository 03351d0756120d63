import type { FastifyReply, FastifyRequest } from 'fastify'
import { askedBy } from '#http/requests/write-options.ts'
import { type FieldErrors, Forbidden, InvalidInput, NoneDone, NotFound } from '#lib/errors.ts'
import type { Fields } from '#lib/json.ts'
import type { Resource, ResourceAction } from '../../resource.ts'
import type { FormFields, FormValue } from '../forms/form-values.ts'
import { RecordForm } from '../forms/record-form.ts'
import { referenceWords } from '../forms/references.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import { fieldsSent, textOf } from '../requests/sent.ts'
import { addressWith, backOf } from './list-address.ts'
import { MOST_SELECTED, urlOf } from './list-view.ts'
import { UndoOfSeveral } from './undo-of-several.ts'

/** Words that a list is shown again with: what could not be done, and what was selected. */
export interface Refusal {
  readonly status: number
  readonly notices: readonly object[]
  readonly ticked: ReadonlySet<string>
}

/** Shows a list with what could not be done to those of it that were selected. */
type ShowAgain = (resource: Resource, request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => Promise<FastifyReply>

/** Those selected, where to go once it is done, and their titles by id. */
interface Chosen {
  readonly ids: readonly string[]
  readonly back: string
  readonly titles: ReadonlyMap<string, string>
}

/** The actions on several things of a list at once. */
export class SelectedRows {
  readonly #panel: Panel
  readonly #showAgain: ShowAgain
  readonly #undo: UndoOfSeveral

  constructor(panel: Panel, showAgain: ShowAgain) {
    this.#panel = panel
    this.#showAgain = showAgain
    this.#undo = new UndoOfSeveral(panel)
  }

  /** Does an action to those selected; one that asks first shows its question. */
  async act(resource: Resource, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { access } = signedIn(request)
    const { ids, sure, ...values } = fieldsSent(request)
    const back = backOf(resource, textOf(request, 'back') || request.url)
    const name = textOf(request, 'action')
    if (name === 'undo') return leadOn(reply, addressWith(back, await this.#undo.undo(resource, request)))
    const action = resource.actions?.find((one) => one.name === name && one.on === 'many')
    if (!action) throw new NotFound(`There is no action "${name}" here.`)
    if (!action.may(access, undefined)) throw new Forbidden(`You may not do this to ${resource.label.toLowerCase()}.`)
    const [chosenIds, wrong] = selectedIn(ids)
    if (wrong !== undefined) {
      const notices = [{ tone: 'bad', title: 'Nothing was changed.', text: wrong }]
      return this.#showAgain(resource, request, reply, { status: 422, notices, ticked: new Set(chosenIds) })
    }
    const chosen = { ids: chosenIds, back, titles: await titlesOf(resource, request, chosenIds) }
    const said = saidIn(action.fields?.(access) ?? [], values)
    const isNothing = action.fields !== undefined && Object.keys(said).length === 0
    if (isNothing || (action.confirm !== undefined && sure === undefined)) {
      const isEmpty = isNothing && sure !== undefined
      return this.#ask(resource, action, chosen, request, reply, isEmpty)
    }
    try {
      const changes = await action.run(access, chosenIds, said, askedBy(request, undefined))
      const acted = changes.map((one) => ({ ...one, title: chosen.titles.get(one.id) ?? one.id }))
      const done = changes.length === 0 ? 'nothing' : (DONE[name]?.done ?? 'saved')
      const told = await this.#undo.keep(request, resource, acted, wordsOf(resource, action, acted.length))
      return leadOn(reply, addressWith(back, { done, ...told }))
    } catch (error) {
      if (!(error instanceof NoneDone)) throw error
      return this.#showAgain(resource, request, reply, refusalOf(resource, error, chosen))
    }
  }

  async #ask(
    resource: Resource,
    action: ResourceAction,
    { ids, back, titles }: Chosen,
    request: FastifyRequest,
    reply: FastifyReply,
    isEmpty: boolean,
  ): Promise<FastifyReply> {
    const { access, user } = signedIn(request)
    const { label, singular } = resource
    const what = ids.length === 1 ? `this ${singular}` : `${ids.length} ${label.toLowerCase()}`
    const fields = action.fields?.(access) ?? []
    const errors: FieldErrors = isEmpty ? { [fields[0]?.name ?? '']: ['Choose one, or type its name.'] } : {}
    const words = await referenceWords({ access, user, find: this.#panel.resourceOf }, fields, undefined)
    const drawn = new RecordForm({ fields, record: undefined, zone: this.#panel.site.timezone }).draw({ ...words, errors }).fields
    const verb = fields.length > 0 ? `${action.label} ${action.name === 'remove' ? 'of' : 'to'}` : action.label
    return this.#panel.pages.send(request, reply, {
      template: 'confirm',
      title: `${verb} ${what}`,
      ...(isEmpty && { status: 422 }),
      data: {
        crumbs: [{ label, url: back }, { label: action.label }],
        heading: fields.length > 0 ? `${verb} ${what}` : `${verb} ${what}?`,
        sentences: action.confirm === undefined ? [] : [action.confirm],
        items: ids.map((id) => ({
          title: titles.get(id) ?? id,
          url: `${urlOf(resource)}/${encodeURIComponent(id)}/edit`,
          icon: resource.icon,
        })),
        form: {
          action: urlOf(resource),
          method: 'PUT',
          hidden: [
            ...ids.map((id) => ({ name: 'ids[]', value: id })),
            { name: 'back', value: back },
            { name: 'sure', value: 'yes' },
          ],
        },
        fields: drawn,
        errors: isEmpty ? [{ id: `${drawn[0]?.id ?? ''}-more`, text: `${action.label}: choose one, or type its name.` }] : [],
        confirm: {
          label: `${verb} ${what}`,
          name: 'action',
          value: action.name,
          tone: action.isDangerous ? 'danger filled' : 'primary',
        },
        cancel: { label: 'Leave them', url: back },
      },
    })
  }
}

const DONE: Readonly<Record<string, { readonly done: string; readonly word: string }>> = {
  publish: { done: 'published', word: 'published' },
  unpublish: { done: 'unpublished', word: 'unpublished' },
  archive: { done: 'saved', word: 'archived' },
  delete: { done: 'removed', word: 'deleted' },
}

function wordsOf(resource: Resource, { name }: ResourceAction, count: number): string {
  if (count === 0) return 'Nothing was changed: they are so already.'
  return wordsOfSeveral(resource, count, DONE[name]?.word ?? 'changed')
}

/** Returns a sentence on so many: "3 posts deleted." */
export function wordsOfSeveral({ label, singular }: Resource, count: number, word: string): string {
  return `${count === 1 ? `One ${singular}` : `${count} ${label.toLowerCase()}`} ${word}.`
}

/** The ids that a form has; throws InvalidInput for none, and for too many. */
export function idsOf(ids: FormValue | undefined): string[] {
  const [chosen, wrong] = selectedIn(ids)
  if (wrong !== undefined) throw new InvalidInput({ ids: [wrong] })
  return chosen
}

/** The ids that a form has, each once, and what is wrong with them. */
function selectedIn(ids: FormValue | undefined): [chosen: string[], wrong: string | undefined] {
  const chosen = (Array.isArray(ids) ? ids : [ids]).filter((id): id is string => typeof id === 'string' && id !== '')
  const none = chosen.length === 0 ? 'Nothing is selected: tick what it is to be done to.' : undefined
  return [
    [...new Set(chosen)],
    none ??
      (chosen.length > MOST_SELECTED
        ? `At most ${MOST_SELECTED} are changed at once: ${chosen.length} were selected.`
        : undefined),
  ]
}

/** The titles of those that the reader sees, by their ids. */
async function titlesOf(resource: Resource, request: FastifyRequest, ids: readonly string[]): Promise<Map<string, string>> {
  const { offered = [] } = (await resource.offers?.(signedIn(request).access, { most: MOST_SELECTED, ids })) ?? {}
  return new Map(offered.map(({ value, label }) => [value, label]))
}

/** The names that were sent for some fields: as lists, or with commas. */
function saidIn(fields: readonly { readonly name: string }[], values: FormFields): Fields {
  const lists = fields.map(({ name }): [string, string[]] => {
    const texts = [Object.hasOwn(values, name) ? values[name] : ''].flat()
    const names = texts.flatMap((text) => (typeof text === 'string' ? text.split(',') : []))
    return [name, names.map((text) => text.trim()).filter((text) => text !== '')]
  })
  return Object.fromEntries(lists.filter(([, names]) => names.length > 0))
}

function refusalOf(resource: Resource, { status, errors }: NoneDone, { ids, titles }: Chosen): Refusal {
  const refused = ids.filter((id) => Object.hasOwn(errors, id))
  const links = refused.map((id) => ({
    label: `“${titles.get(id) ?? id}”: ${errors[id]?.join(' ')}`,
    url: `${urlOf(resource)}/${encodeURIComponent(id)}/edit`,
  }))
  const text = ids.length === 1 ? '' : `It can’t be done to ${links.length === 1 ? 'one' : links.length} of ${ids.length}.`
  return { status, notices: [{ tone: 'bad', title: 'Nothing was changed.', text, links }], ticked: new Set(ids) }
}
