/** An action in words: of what was done, of what was tried, and as a name in a list. */
interface Words {
  readonly done: string
  readonly tried: string
  readonly name: string
}

const words = (done: string, tried: string, name: string): Words => ({ done, tried, name })

/** The deeds that most things have. */
const DEEDS: Readonly<Record<string, readonly [done: string, tried: string]>> = {
  created: ['created', 'create'],
  updated: ['changed', 'change'],
  published: ['published', 'publish'],
  unpublished: ['unpublished', 'unpublish'],
  moved: ['moved', 'move'],
  deleted: ['deleted', 'delete'],
  restored: ['restored', 'restore'],
  scheduled: ['scheduled', 'schedule'],
  read: ['read', 'read'],
  revoked: ['revoked', 'revoke'],
  withdrawn: ['withdrew', 'withdraw'],
  added: ['added', 'add'],
  removed: ['removed', 'remove'],
  enabled: ['switched on', 'switch on'],
  disabled: ['switched off', 'switch off'],
}

/** Things in words, by the first part of their actions. */
const THINGS: Readonly<Record<string, string>> = {
  record: 'record',
  term: 'term',
  media: 'file',
  menu: 'menu',
  settings: 'setting',
  user: 'user',
  token: 'token',
  team: 'team',
  webhook: 'webhook',
  subscription: 'subscription',
  invoice: 'invoice',
  key: 'signing key',
  module: 'module',
  audit: 'audit log',
}

const OWN: Readonly<Record<string, Words>> = {
  'auth.login': words('signed in', 'sign in', 'Signed in'),
  'auth.logout': words('signed out', 'sign out', 'Signed out'),
  'auth.failed': words('Sign-in failed', 'sign in', 'Sign-in failed'),
  'role.changed': words('changed the role of', 'change the role of', 'Role changed'),
  'export.made': words('exported', 'export', 'Export made'),
}

/** Groups of actions that a list can be narrowed to. */
export const ACTIONS: readonly { readonly label: string; readonly actions: readonly string[] }[] = [
  {
    label: 'Content',
    actions: [
      ...['created', 'updated', 'published', 'unpublished', 'scheduled', 'moved', 'deleted', 'restored'].map(
        (deed) => `record.${deed}`,
      ),
      ...['media', 'term', 'menu'].flatMap((sort) => ['created', 'updated', 'deleted'].map((deed) => `${sort}.${deed}`)),
      ...['settings.created', 'settings.updated', 'settings.deleted'],
    ],
  },
  { label: 'Signing in', actions: ['auth.login', 'auth.logout', 'auth.failed'] },
  {
    label: 'People and rights',
    actions: ['role.changed', 'user.created', 'user.updated', 'user.deleted', 'team.created', 'team.updated', 'team.deleted'],
  },
  {
    label: 'Keys and connections',
    actions: ['token.created', 'token.revoked', 'webhook.created', 'webhook.updated', 'webhook.deleted', 'key.created'],
  },
  {
    label: 'Modules',
    actions: ['published', 'withdrawn', 'updated', 'added', 'removed', 'enabled', 'disabled'].map((deed) => `module.${deed}`),
  },
  {
    label: 'Billing and exports',
    actions: ['subscription.created', 'subscription.updated', 'invoice.created', 'invoice.updated', 'export.made'],
  },
]

/** Returns an action in words. */
export function wordsOf(action: string): Words {
  const own = OWN[action]
  if (own) return own
  const [sort = '', deed = ''] = action.split('.', 2)
  const thing = THINGS[sort] ?? sort
  const [done, tried] = DEEDS[deed] ?? [deed, deed]
  const name = `${thing} ${done}`
  return words(done, tried, name.charAt(0).toUpperCase() + name.slice(1))
}

/** Returns a kind of things in words: "the user". Of a record its type says what it is. */
export function thingOf(kind: string): string {
  return THINGS[kind === 'setting' ? 'settings' : kind] ?? kind
}
