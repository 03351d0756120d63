import { text as readAll } from 'node:stream/consumers'
import type { Command } from 'commander'
import { BUILT_IN_ROLES } from '#core/access/roles.ts'
import { viewOf } from '#features/users/accounts.ts'
import type { User } from '#features/users/user.ts'
import { Conflict, Unavailable } from '#lib/errors.ts'
import { roleOf } from '../accounts.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { asUsage, usage } from '../failure.ts'
import { invite, mailFor } from '../invitations.ts'
import type { Quire } from '../open/site.ts'
import { withSite } from '../site.ts'

interface Options {
  email: string
  name?: string
  role: string
  passwordStdin?: boolean
}

export function define(command: Command, act: Act): void {
  command
    .requiredOption('--email <address>', 'where codes and links to sign in go; no two users have the same')
    .option('--name <name>', 'what they are called in lists and commits')
    .option('--role <role>', `${BUILT_IN_ROLES.join(', ')}, or one of the configuration`, 'viewer')
    .option('--password-stdin', 'gives them the password that is piped in, instead of an invitation by mail')
    .addHelpText(
      'after',
      examples(
        'cms user:create --email ada@example.org --name "Ada Lovelace" --role owner',
        'cms user:create --email bob@example.org --role editor --password-stdin < password.txt',
      ),
    )
    .action(act((call, options: Options) => create(call, options)))
}

async function create(call: Call, options: Options): Promise<Answer> {
  const password = options.passwordStdin ? await passwordFrom(call) : undefined
  return withSite(call, (site) => createOn(call, site, options, password), mailFor(call))
}

async function createOn(call: Call, site: Quire, options: Options, password: string | undefined): Promise<Answer> {
  const { email, name } = options
  const role = roleOf(site, options.role)
  const { auth } = site.features
  const passwordHash =
    password === undefined ? undefined : await auth.passwords.hashFor(password, { email, name: name ?? '' }).catch(asUsage)
  const user = await site.features.users.create({ email, name, role, passwordHash }, site.access.author).catch(asTaken)
  call.output.say(`Made the user "${user.name}" (${user.id}), ${role}.`)
  if (!site.config.features.auth) sayNobodySignsIn(call)
  else if (password === undefined) await tryInviting(call, site, user)
  return { data: { ...viewOf(user) }, text: user.id }
}

function sayNobodySignsIn(call: Call): void {
  const hint = 'Set `features: { auth: true }` in cms.config.yaml; `cms user:invite` sends an invitation then.'
  call.output.warn({ message: 'Signing in is switched off on this site, so there is no invitation.', hint })
}

/** Sends the invitation; the user is created whether it succeeds or not. */
async function tryInviting(call: Call, site: Quire, user: User): Promise<void> {
  const hint = `To send it again: cms user:invite ${user.handle}`
  try {
    if (!(await invite(call, site, user))) call.output.warn({ message: 'No invitation was sent.', hint })
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    call.output.warn({ message: `The invitation could not be sent: ${error.message}`, hint })
  }
}

async function passwordFrom(call: Call): Promise<string> {
  if (call.stdin.isTTY) {
    throw usage('--password-stdin takes a password that is piped in.', 'Say where from: --password-stdin < password.txt')
  }
  return (await readAll(call.stdin)).replace(/\r?\n$/, '')
}

function asTaken(error: unknown): never {
  if (error instanceof Conflict) throw new Conflict(error.message, undefined, '`cms user:list` shows them.')
  return asUsage(error)
}
