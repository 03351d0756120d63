import type { Access } from '#core/access/access.ts'
import type { Problem } from '#core/document.ts'
import { keyOfFile } from '#core/files/layout.ts'
import { type Key, parseKey } from '#core/key.ts'
import type { Store } from '#core/store.ts'
import { NotFound } from '#lib/errors.ts'
import { type Panel, signedIn } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'

/** The address of the page. */
export const PROBLEMS_URL = '/admin/problems'

const MOST = 500

const UNREADABLE = { glyph: 'unreadable', label: '' } as const

/** `GET /admin/problems`: the files that can't be read, and those with something odd, as the store knows them. */
export function problemRoutes(routes: PanelRoutes, { panel, store }: { readonly panel: Panel; readonly store: Store }): void {
  routes.get(PROBLEMS_URL, async (request, reply) => {
    const { access } = signedIn(request)
    if (!(await seesProblems(store, access))) throw new NotFound('There is no such page.')
    const problems = await problemsFor(store, access)
    const errors = problems.filter(({ severity }) => severity === 'error')
    const odd = problems.filter(({ severity }) => severity !== 'error')
    const viewsOf = (some: readonly Problem[]) =>
      Promise.all(some.slice(0, MOST).map(async (one) => ({ ...viewOf(one), url: await urlOfProblem(panel, access, one) })))
    const data = {
      heading: 'Problems',
      count: problems.length === 0 ? '' : problems.length.toLocaleString(panel.site.locale),
      note: 'Known without a full check: cms check looks at links and references too.',
      groups: [
        { id: 'errors', label: 'Not served', status: UNREADABLE, problems: await viewsOf(errors) },
        { id: 'warnings', label: 'Odd, and served', problems: await viewsOf(odd) },
      ].filter((group) => group.problems.length > 0),
      more: Math.max(0, errors.length - MOST) + Math.max(0, odd.length - MOST),
      none: { icon: 'good', title: 'No problems', text: 'Every file can be read.' },
    }
    return panel.pages.send(request, reply, { template: 'problems', title: 'Problems', data })
  })
}

/** Returns the line of the dashboard that leads to what can't be read; none where all can, or who reads may not see it. */
export async function problemLines(store: Store, access: Access): Promise<object[]> {
  const problems = (await problemsFor(store, access)).filter(({ severity }) => severity === 'error')
  const { length } = problems
  if (length === 0) return []
  const title = length === 1 ? 'One file can’t be read' : `${length} files can’t be read`
  return [
    {
      status: UNREADABLE,
      title,
      url: PROBLEMS_URL,
      note: problems.length === 1 ? problems[0]?.file : 'They are not served until they are mended',
    },
  ]
}

/** The problems that a reader may know: of all files for who may read all drafts, else of the types whose drafts they read. */
async function problemsFor(store: Store, access: Access): Promise<readonly Problem[]> {
  const kinds = await store.kinds()
  const seen = kinds.filter((kind) => readsDrafts(access, kind))
  if (access.may('content:drafts') && seen.length === kinds.length)
    return (await store.problems()).filter(({ file }) => isForReader(access, file))
  return (await Promise.all(seen.map((kind) => store.problems(kind)))).flat()
}

/** Returns whether a reader of all drafts may know of a file: those of accounts and settings are for who manages these. */
function isForReader(access: Access, file: string): boolean {
  if (/(?:^|\/)\.cms\//.test(file) || file.startsWith('.')) return access.may('users:read')
  return !/(?:^|\/)settings(?:\/|\.ya?ml$)/.test(file) || access.may('settings:write')
}

async function seesProblems(store: Store, access: Access): Promise<boolean> {
  return access.may('content:drafts') || (await store.kinds()).some((kind) => readsDrafts(access, kind))
}

function readsDrafts(access: Access, kind: string): boolean {
  return access.sees(kind) && access.may('content:drafts', kind)
}

/** The page of the record that a problem is of; undefined for another file, and where the reader sees no such type. */
async function urlOfProblem({ site, resourceOf }: Panel, access: Access, { file }: Problem): Promise<string | undefined> {
  const key = keyOfFile(file.startsWith(`${site.content}/`) ? file.slice(site.content.length + 1) : file) ?? keyIn(file)
  const resource = key && (await resourceOf(access, `content/${key.kind}`))
  return resource && key && `/admin/${resource.name}/${encodeURIComponent(key.id)}/edit`
}

/** The key that stands for a document where there are no files. */
function keyIn(text: string): Key | undefined {
  const slash = text.lastIndexOf('/')
  return parseKey(text.slice(0, Math.max(0, slash)), text.slice(slash + 1))
}

function viewOf({ file, line, column, message, hint }: Problem) {
  const place = line === undefined ? file : column === undefined ? `${file}:${line}` : `${file}:${line}:${column}`
  return { place, message, hint }
}
