import t from 'tap'
import { type Access, SCOPES, type Scope } from '#core/access/access.ts'
import { BUILT_IN_ROLES, Roles } from '#core/access/roles.ts'

const author = { name: 'Ada', email: 'ada@example.org' }
const access = (roles: Roles, role: string, handle = 'ada'): Access => roles.access(role, { id: 'u1', handle, author })

/**
 * The rows of the contract's table that are not about content, read by hand: who has the right for all, and whose own it is for.
 */
const ROWS: readonly (readonly [readonly Scope[], readonly string[], readonly string[]])[] = [
  [['taxonomy:write', 'menus:write'], ['editor', 'admin', 'owner'], []],
  [['media:write'], ['editor', 'admin', 'owner'], ['contributor', 'author']],
  [
    ['settings:write', 'users:read', 'users:write', 'teams:write', 'webhooks:write', 'modules:publish', 'audit:read'],
    ['admin', 'owner'],
    [],
  ],
  [['billing:write'], ['owner'], []],
]

t.test('the roles that every site has', async (t) => {
  const roles = new Roles()
  for (const [scopes, all, own] of ROWS) {
    for (const scope of scopes) {
      const held = BUILT_IN_ROLES.filter((role) => access(roles, role).may(scope))
      t.strictSame(held, all, scope)
      const reach = BUILT_IN_ROLES.filter((role) => access(roles, role).reach(scope, 'posts') === 'own')
      t.strictSame(reach, own, `${scope}: own`)
    }
  }
  const said = [...ROWS.flatMap(([scopes]) => scopes), ...SCOPES.filter((scope) => scope.startsWith('content:'))]
  t.strictSame(new Set(said), new Set(SCOPES), 'every scope is in the table')
  t.strictSame(roles.names(), [...BUILT_IN_ROLES])
})

t.test('a role that is not there gives no rights, whatever it is called', async (t) => {
  const roles = new Roles({ gone: { extends: 'nobody', allow: [], fields: {} } })
  for (const name of ['', 'gone', 'editors', 'constructor', '__proto__', 'toString']) {
    const none = access(roles, name)
    t.notOk(
      SCOPES.some((scope) => none.may(scope) || none.may(scope, 'posts') || none.reach(scope, 'posts') !== 'none'),
      name,
    )
  }
  t.notOk(roles.has('constructor'))
})

t.test('roles of the configuration', async (t) => {
  const roles = new Roles({
    translator: { extends: 'author', allow: ['content:write@posts'], fields: { posts: ['title', 'body'] } },
    chief: { extends: 'translator', allow: ['content:drafts', 'users:read'], fields: { notes: ['title'] } },
    narrow: { extends: 'chief', allow: [], fields: { posts: ['body'] } },
  })
  t.strictSame(roles.names().slice(-3), ['translator', 'chief', 'narrow'])
  const translator = access(roles, 'translator')
  t.strictSame(
    [translator.reach('content:write', 'posts'), translator.reach('content:write', 'notes'), translator.may('content:write')],
    ['all', 'own', false],
    'a right for one type is for that type',
  )
  t.strictSame([...(translator.writable('posts') ?? [])], ['title', 'body'])
  t.equal(translator.writable('notes'), undefined)
  const chief = access(roles, 'chief')
  t.ok(chief.may('content:drafts') && chief.may('content:drafts', 'notes') && chief.may('users:read'))
  t.equal(chief.reach('content:write', 'posts'), 'all', 'what it begins with stays')
  t.strictSame(
    [chief, access(roles, 'narrow')].map((one) => [...(one.writable('posts') ?? [])]),
    [['title', 'body'], ['body']],
  )
  t.strictSame([...(access(roles, 'narrow').writable('notes') ?? [])], ['title'])
  t.equal(chief.writable('constructor'), undefined)
})

t.test('two readers have one fingerprint where they see the same', async (t) => {
  const roles = new Roles({ vip: { extends: 'viewer', allow: ['content:drafts@posts'], fields: {} } })
  const print = (role: string, handle: string) => access(roles, role, handle).fingerprint
  t.equal(print('viewer', 'ada'), print('viewer', 'bo'))
  t.equal(print('editor', 'ada'), print('editor', 'bo'))
  t.not(print('author', 'ada'), print('author', 'bo'), 'own drafts are their own')
  t.not(print('viewer', 'ada'), print('vip', 'ada'))
})
