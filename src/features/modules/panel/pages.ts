import type { Access } from '#core/access/access.ts'
import { NotFound } from '#lib/errors.ts'
import type { ModuleContext } from '#module/context.ts'
import type { CardDefinition, PageDefinition } from '#module/panel.ts'
import type { DeskCard, DeskPage, ModuleDesk } from '../../module-desk.ts'
import type { ActiveModule } from '../host.ts'
import { wordsOf } from '../module-log.ts'
import type { LoadedModule } from '../module-set.ts'
import { callerFor, mayHold } from './caller.ts'
import { checkedFile, checkedParts } from './checked-parts.ts'
import { PANEL_GROUPS } from './groups.ts'
import { within } from './within.ts'

/** The times that a page and a card may take. */
const LIMITS = { page: 5_000, card: 1_000 } as const

/** The right that is asked for where a module names none. */
export const DEFAULT_SCOPE = 'settings:write'

/** The dependencies of what modules show. */
export interface ModulePagesDeps {
  readonly active: readonly Shown[]
  /** The most milliseconds that a page or a card may take, where that is less than usual. */
  readonly patience?: number | undefined
}

/** A module at work, as the panel knows it. */
export type Shown = Pick<ActiveModule, 'module' | 'context' | 'isOn'>

/** Makes the pages and cards of a site's modules. One that fails is missing, and the module's log says why; the others are there. */
export function moduleDesk({ active, patience = Number.POSITIVE_INFINITY }: ModulePagesDeps): ModuleDesk {
  const cards = active.flatMap((one) => (one.module.definition.cards ?? []).map((card) => ({ card, ...one })))
  const cardLimit = Math.min(LIMITS.card, patience)
  return {
    pages: active.flatMap((one) =>
      (one.module.definition.pages ?? []).map((page) => deskPage(one, page, Math.min(LIMITS.page, patience))),
    ),
    cards: async (access) => {
      const seen = cards.filter(({ card, isOn }) => isOn() && mayHold(access, card.scope ?? DEFAULT_SCOPE))
      const made = await Promise.all(seen.map(({ card, context }) => cardOf(card, context, access, cardLimit)))
      return made.filter((card) => card !== undefined)
    },
  }
}

async function cardOf(
  card: CardDefinition,
  context: ModuleContext,
  access: Access,
  limit: number,
): Promise<DeskCard | undefined> {
  try {
    const parts = checkedParts(await within(limit, () => card.parts(context, callerFor(access))))
    return { name: card.name, label: card.label, parts }
  } catch (error) {
    context.log.warn(`The card "${card.name}" is left out: ${wordsOf(error)}`)
    return undefined
  }
}

function deskPage({ module, context, isOn }: Shown, page: PageDefinition, limit: number): DeskPage {
  const { name, label, group, icon = 'box', scope = DEFAULT_SCOPE, files = {} } = page
  const failed = (what: string, error: unknown) =>
    context.log.error(`The ${what} "${name}" can't be shown: ${wordsOf(error)}`, error)
  return {
    ...{ module: module.name, url: pageUrl(module, name), label, group: PANEL_GROUPS[group], icon },
    sees: (access) => isOn() && mayHold(access, scope),
    parts: async (access, query) => {
      try {
        return checkedParts(await within(limit, () => page.parts(textsOf(query), context, callerFor(access))))
      } catch (error) {
        failed('page', error)
        return undefined
      }
    },
    file: async (access, file, query) => {
      const make = Object.hasOwn(files, file) ? files[file] : undefined
      if (!make) throw new NotFound('There is no such file.')
      try {
        return checkedFile(await within(limit, () => make(textsOf(query), context, callerFor(access))))
      } catch (error) {
        failed(`file "${file}" of the page`, error)
        return undefined
      }
    },
  }
}

/** The address of a page: that of one which ships and has the module's name is short. */
export function pageUrl({ name: module, folder }: Pick<LoadedModule, 'name' | 'folder'>, page: string): string {
  return folder === undefined && page === module ? `/admin/${page}` : `/admin/x/${module}/${page}`
}

function textsOf(query: Readonly<Record<string, unknown>>): Record<string, string> {
  const texts = Object.entries(query).filter((one): one is [string, string] => typeof one[1] === 'string')
  return Object.fromEntries(texts)
}
