import type { Access } from '#core/access/access.ts'
import type { Ledger } from '#core/ledger.ts'
import { NotFound } from '#lib/errors.ts'
import type { Resource } from '../../resource.ts'
import { leadOn, type Panel, signedIn } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { fieldsSent, textOf } from '../requests/sent.ts'
import { addressWith, backOf } from '../resources/list-address.ts'

/** Milliseconds that a choice is remembered after it was made: two years. */
const LIFE = 730 * 86_400_000

const MOST = 12
const LONGEST_NAME = 100

/** Resolves with the columns that a user has chosen for a list; undefined where they have not. */
export async function columnsChosen(
  { ledger }: { readonly ledger: Ledger },
  user: string,
  list: string,
): Promise<readonly string[] | undefined> {
  const kept = await ledger.peek(nameOf(user, list))
  return Array.isArray(kept) ? kept.filter((name) => typeof name === 'string') : undefined
}

/** Returns names of columns beside the title, each once. */
export function columnNames(names: readonly unknown[]): string[] {
  const texts = names.filter((name) => typeof name === 'string' && name !== '' && name !== 'title' && name.length <= LONGEST_NAME)
  return [...new Set(texts as string[])].slice(0, MOST)
}

/** `POST /admin/account/columns`: chooses the columns of a list for oneself, in all browsers; with `do=reset` they are those of the type. */
export function columnRoutes(
  routes: PanelRoutes,
  { ledger }: Panel,
  resources: (access: Access) => Promise<readonly Resource[]>,
): void {
  routes.on('POST', '/admin/account/columns', async (request, reply) => {
    const { user, access } = signedIn(request)
    const { columns } = fieldsSent(request)
    const list = textOf(request, 'list')
    const resource = (await resources(access)).find(({ name }) => name === list)
    if (!resource) throw new NotFound('There is no such list.')
    const names = columnNames([columns ?? []].flat())
    const name = nameOf(user.id, list)
    if (textOf(request, 'do') === 'reset') await ledger.take(name)
    else await ledger.put(name, names, LIFE)
    return leadOn(reply, addressWith(backOf(resource, textOf(request, 'back')), { columns: '', done: '' }))
  })
}

function nameOf(user: string, list: string): string {
  return `panel.columns.${user}.${list}`
}
