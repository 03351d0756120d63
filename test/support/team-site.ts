import type { Test } from 'tap'
import { keyOf } from '#core/key.ts'
import type { Change } from '#core/store.ts'
import type { User } from '#features/users/user.ts'
import type { AppOptions } from './app.ts'
import { PANEL_FEATURES, type PanelGiven, panelOf } from './panel.ts'
import { plainTypes } from './types.ts'

const BY = { name: 'Writer', email: 'writer@example.org' }

/** The type that belongs to a team, and a name as long of a type that there is none of. */
export const [OWNED, NONE] = ['zyxnotes', 'abcnotes'] as const

/** What is in the records of the owned type, in its name, and nowhere else. */
export const MARK = /zyx/i

/** The site's types: posts refer to the owned type, and ask it for what is unique. */
export const TEAM_TYPES = plainTypes({
  posts: {
    fields: {
      note: { type: 'reference', to: OWNED },
      more: {
        type: 'object',
        fields: { note: { type: 'reference', to: OWNED }, code: { type: 'text', rules: `exists:${OWNED}` } },
      },
      code: { type: 'text', rules: `unique:${OWNED},code` },
      author: { type: 'reference', to: 'authors' },
    },
  },
  authors: {},
  [OWNED]: {
    label: 'Zyxed',
    fields: { code: { type: 'text' }, picture: { type: 'media' }, about: { type: 'reference', to: 'posts' } },
  },
})

/** A site with two teams, of which the second owns a type. */
export interface TeamSite extends PanelGiven {
  /** The ids of the teams: of the outsider's, and of the one that owns. */
  readonly teams: readonly [other: string, owning: string]
  /** An editor in the other team, one in the team that owns, and an admin in neither. */
  readonly outsider: User
  readonly member: User
  readonly root: User
}

const FEATURES = { ...PANEL_FEATURES, teams: true, events: true, docs: true, metrics: true, sitemap: true }

/** Runs a test on each store with a site of two teams. */
export async function teamSite(
  t: Test,
  body: (t: Test, given: TeamSite) => Promise<void>,
  deps?: AppOptions['deps'],
): Promise<void> {
  const config = { features: FEATURES, types: { posts: {}, authors: {}, [OWNED]: { team: 'owning' } } }
  const opened = async (t: Test, given: PanelGiven) => {
    const { app, opened } = given
    const userOf = (name: string, role: string) =>
      app.features.users.create({ email: `${name}@example.org`, name, role }, { name: 'Tester', email: 'tester@example.org' })
    const root = await userOf('root', 'admin')
    const [outsider, member] = [await userOf('outsider', 'editor'), await userOf('member', 'editor')]
    const make = async (slug: string, user: User): Promise<string> => {
      const { id } = (await app.askAs(given.ada, 'POST /api/teams', { body: { name: slug, slug } })).body.data
      await app.askAs(root, `POST /api/teams/${id}/members`, { body: { user: user.id } })
      return id
    }
    const teams = [await make('other', outsider), await make('owning', member)] as const
    await opened.store.write(CONTENT, BY, { message: 'Zyx: all of it' })
    await opened.store.write(LATER, BY, { message: 'Zyx: later' })
    await body(t, { ...given, teams, outsider, member, root })
  }
  await panelOf(t, {}, opened, { config, site: { types: TEAM_TYPES, history: true }, ...(deps && { deps }) })
}

const live = { status: 'published', published_at: '2020-01-01T00:00:00Z' }
const put = (kind: string, id: string, set: object, body?: string): Change =>
  ({ key: keyOf(kind, id), put: { set, ...(body !== undefined && { body }) } }) as Change

const CONTENT: Change[] = [
  put('authors', 'ada', { title: 'Ada', ...live }),
  put('posts', 'hello', { title: 'Hello', note: 'one', tags: ['news'], author: 'ada', ...live }, 'Words.\n'),
  put('posts', 'draft', { title: 'A draft', note: 'one', status: 'draft' }, 'More words.\n'),
  put(
    OWNED,
    'one',
    { title: 'Zyxone', code: 'zyxcode', tags: ['zyxterm', 'news'], about: 'hello', ...live },
    'Zyxwords [x](/posts/hello) ![](/media/zyx.txt)\n',
  ),
  put(OWNED, 'zyxtwo', { title: 'Zyxtwo', status: 'draft', tags: ['zyxdraft'], picture: 'zyx.txt' }, 'Zyxmore words.\n'),
  put(OWNED, 'zyxgone', { title: 'Zyxgone', ...live }, 'Zyxgone words.\n'),
  put('menus', 'main', {
    label: 'Main',
    items: [
      { label: 'Zyxitem', record: { type: OWNED, id: 'one' } },
      { label: 'Hello', record: { type: 'posts', id: 'hello' } },
    ],
  }),
  put('media', 'open.txt', { title: 'Open', mime_type: 'text/plain', size: 3, checksum: `sha256:${'1'.repeat(64)}` }),
  put('media', 'zyx.txt', { title: 'Zyxfile', mime_type: 'text/plain', size: 3, checksum: `sha256:${'0'.repeat(64)}` }),
]

const LATER: Change[] = [
  put(OWNED, 'one', { title: 'Zyxone again' }),
  { key: keyOf(OWNED, 'zyxgone'), remove: true },
  put('posts', 'hello', { title: 'Hello again' }),
]
