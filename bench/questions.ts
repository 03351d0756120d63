/** A document as far as it matters here: one that is read. */
interface Found {
  readonly key: { readonly id: string }
}

/** The part of the product's store that is measured: it is run as it is built. */
export interface Store {
  get(key: object): Promise<Found | undefined>
  browse(kind: string, query: object): Promise<{ items: Found[]; total: number }>
  write(changes: readonly object[], by: object): Promise<unknown>
}

/** One thing to ask of a site: of its store, and of its API (a path below `/api/cms/`). */
export interface Question {
  readonly name: string
  readonly path: string
  ask(store: Store): Promise<unknown>
}

const NEWEST = [{ field: 'published_at', descending: true, as: 'instant' }]
const TITLE = [{ field: 'title', descending: false, as: 'text' }]
const PUBLISHED = { field: 'status', op: 'eq', value: 'published', as: 'text' }
const TAGGED = { field: 'tags', op: 'in', value: ['river'], as: 'text' }

/** Returns the queries to run against a site. `id` is that of one of its posts. */
export function questions(id: string): Question[] {
  const list = (name: string, parameters: string, query: object): Question => ({
    name,
    path: `posts?${parameters}`,
    ask: (store) => store.browse('posts', { limit: 15, ...query }),
  })
  return [
    { name: 'get one', path: `posts/${id}`, ask: (store) => store.get({ kind: 'posts', id }) },
    list('page 1', '', { sort: NEWEST }),
    list('page 500', 'page=500', { sort: NEWEST, offset: 7485 }),
    list('page 1 of a status', 'status=published', { sort: NEWEST, where: [PUBLISHED] }),
    list('page 500 of a status', 'status=published&page=500', { sort: NEWEST, where: [PUBLISHED], offset: 7485 }),
    list('page 1 of a tag', 'tag=river', { sort: NEWEST, where: [TAGGED] }),
    list('page 1 by title', 'sort=title', { sort: TITLE }),
    list('page 500 by title', 'sort=title&page=500', { sort: TITLE, offset: 7485 }),
  ]
}
