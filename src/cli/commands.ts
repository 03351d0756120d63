import type { CommandModule } from './command.ts'

/** A command that ships. Its file is loaded only when it is called, or its help asked for. */
export interface CommandEntry {
  readonly name: string
  readonly summary: string
  readonly group: 'Daily:' | 'Administration:'
  readonly load: () => Promise<CommandModule>
}

/** The commands that ship, in the order of the help. */
export const COMMANDS: readonly CommandEntry[] = [
  { name: 'init', summary: 'begin a site in a folder', group: 'Daily:', load: () => import('./commands/init.ts') },
  { name: 'serve', summary: 'serve the API and the site', group: 'Daily:', load: () => import('./commands/serve.ts') },
  { name: 'build', summary: 'write the site as static files', group: 'Daily:', load: () => import('./commands/build.ts') },
  { name: 'check', summary: 'find what is wrong in the content', group: 'Daily:', load: () => import('./commands/check.ts') },
  {
    name: 'doctor',
    summary: 'find what is wrong around the content',
    group: 'Daily:',
    load: () => import('./commands/doctor.ts'),
  },
  { name: 'list', summary: 'list the records of a type', group: 'Daily:', load: () => import('./commands/list.ts') },
  { name: 'show', summary: 'show one record', group: 'Daily:', load: () => import('./commands/show.ts') },
  { name: 'new', summary: 'create a record', group: 'Daily:', load: () => import('./commands/new.ts') },
  {
    name: 'edit',
    summary: 'change fields of a record, or open it in an editor',
    group: 'Daily:',
    load: () => import('./commands/edit.ts'),
  },
  { name: 'publish', summary: 'make a record public', group: 'Daily:', load: () => import('./commands/publish.ts') },
  { name: 'delete', summary: 'delete a record', group: 'Daily:', load: () => import('./commands/delete.ts') },
  { name: 'move', summary: 'give a record another id', group: 'Daily:', load: () => import('./commands/move.ts') },
  {
    name: 'search',
    summary: 'find records by their words',
    group: 'Daily:',
    load: () => import('./commands/search.ts'),
  },
  {
    name: 'sync',
    summary: 'pull from the remote, merge, and push',
    group: 'Daily:',
    load: () => import('./commands/sync.ts'),
  },
  { name: 'log', summary: 'list the revisions of a record', group: 'Daily:', load: () => import('./commands/log.ts') },
  { name: 'diff', summary: 'show what a revision changed', group: 'Daily:', load: () => import('./commands/diff.ts') },
  {
    name: 'rollback',
    summary: 'make a record what it was',
    group: 'Daily:',
    load: () => import('./commands/rollback.ts'),
  },
  {
    name: 'backup',
    summary: 'write the site, its history and what is private to one file',
    group: 'Daily:',
    load: () => import('./commands/backup.ts'),
  },
  {
    name: 'restore',
    summary: 'make a site of a backup',
    group: 'Daily:',
    load: () => import('./commands/restore.ts'),
  },
  {
    name: 'publish:due',
    summary: 'make the events of records that went live or ended',
    group: 'Administration:',
    load: () => import('./commands/publish-due.ts'),
  },
  {
    name: 'types:list',
    summary: 'list the types of records',
    group: 'Administration:',
    load: () => import('./commands/types-list.ts'),
  },
  {
    name: 'templates:copy',
    summary: 'copy a template that ships, to change it',
    group: 'Administration:',
    load: () => import('./commands/templates-copy.ts'),
  },
  {
    name: 'token:create',
    summary: 'make an API token',
    group: 'Administration:',
    load: () => import('./commands/token-create.ts'),
  },
  {
    name: 'token:list',
    summary: 'list the API tokens',
    group: 'Administration:',
    load: () => import('./commands/token-list.ts'),
  },
  {
    name: 'token:revoke',
    summary: 'end an API token at once',
    group: 'Administration:',
    load: () => import('./commands/token-revoke.ts'),
  },
  {
    name: 'user:create',
    summary: 'make a user, and invite them by mail',
    group: 'Administration:',
    load: () => import('./commands/user-create.ts'),
  },
  {
    name: 'user:invite',
    summary: 'send a user an invitation again',
    group: 'Administration:',
    load: () => import('./commands/user-invite.ts'),
  },
  {
    name: 'user:list',
    summary: 'list the users',
    group: 'Administration:',
    load: () => import('./commands/user-list.ts'),
  },
  {
    name: 'user:role',
    summary: 'give a user another role',
    group: 'Administration:',
    load: () => import('./commands/user-role.ts'),
  },
  {
    name: 'user:disable',
    summary: 'keep a user from signing in, or let them in again',
    group: 'Administration:',
    load: () => import('./commands/user-disable.ts'),
  },
  {
    name: 'user:unlock',
    summary: 'forget the failed sign-ins of a user',
    group: 'Administration:',
    load: () => import('./commands/user-unlock.ts'),
  },
  {
    name: 'user:delete',
    summary: 'delete a user; what they wrote stays',
    group: 'Administration:',
    load: () => import('./commands/user-delete.ts'),
  },
  {
    name: 'key:rotate',
    summary: 'sign tokens with another key',
    group: 'Administration:',
    load: () => import('./commands/key-rotate.ts'),
  },
  {
    name: 'module:init',
    summary: 'begin a module in a folder',
    group: 'Administration:',
    load: () => import('./commands/module-init.ts'),
  },
  {
    name: 'module:search',
    summary: 'find modules in the registry',
    group: 'Administration:',
    load: () => import('./commands/module-search.ts'),
  },
  {
    name: 'module:info',
    summary: 'show a module of the registry',
    group: 'Administration:',
    load: () => import('./commands/module-info.ts'),
  },
  {
    name: 'module:add',
    summary: 'add a module from the registry',
    group: 'Administration:',
    load: () => import('./commands/module-add.ts'),
  },
  {
    name: 'module:remove',
    summary: 'take a module out of the site',
    group: 'Administration:',
    load: () => import('./commands/module-remove.ts'),
  },
  {
    name: 'module:list',
    summary: 'list the modules of the site',
    group: 'Administration:',
    load: () => import('./commands/module-list.ts'),
  },
  {
    name: 'module:update',
    summary: 'take newer versions of modules',
    group: 'Administration:',
    load: () => import('./commands/module-update.ts'),
  },
  {
    name: 'module:verify',
    summary: 'compare modules with modules.lock.yaml',
    group: 'Administration:',
    load: () => import('./commands/module-verify.ts'),
  },
  {
    name: 'module:publish',
    summary: 'publish a module in the registry',
    group: 'Administration:',
    load: () => import('./commands/module-publish.ts'),
  },
  {
    name: 'module:keygen',
    summary: 'make a key to sign modules with',
    group: 'Administration:',
    load: () => import('./commands/module-keygen.ts'),
  },
  {
    name: 'storage:migrate',
    summary: 'move the site into a database, or out of it',
    group: 'Administration:',
    load: () => import('./commands/storage-migrate.ts'),
  },
  {
    name: 'storage:verify',
    summary: 'compare the files with the database',
    group: 'Administration:',
    load: () => import('./commands/storage-verify.ts'),
  },
  {
    name: 'import',
    summary: 'take over the content of another tool',
    group: 'Administration:',
    load: () => import('./commands/import.ts'),
  },
  {
    name: 'completion',
    summary: 'print a completion script for a shell',
    group: 'Administration:',
    load: () => import('./commands/completion.ts'),
  },
]

/** Commands that are planned. A call of one gets an error that says so, and no suggestion of a command with a similar name. */
export const PLANNED: ReadonlySet<string> = new Set(['types:generate'])
