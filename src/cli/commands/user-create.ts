import { text as readAll } from 'node:stream/consumers'
import type { Command } from 'commander'
import { Conflict, Unavailable } from '../../core/errors.ts'
import { viewOf } from '../../features/users/accounts.ts'
import type { User } from '../../features/users/user.ts'
import { roleOf } from '../accounts.ts'
import { type Act, type Answer, type Call, examples } from '../command.ts'
import { asUsage, usage } from '../failure.ts'
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
    .option('--role <role>', 'viewer, contributor, author, editor, admin, owner, or one of the configuration', 'viewer')
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
  return withSite(call, (site) => createOn(call, site, options, password), {
    mail: { onShown: (_letter, shown) => showTo(call, shown) },
  })
}

async function createOn(call: Call, site: Quire, options: Options, password: string | undefined): Promise<Answer> {
  const { email, name } = options
  const role = roleOf(site, options.role)
  const { auth } = await site.signing()
  const passwordHash =
    password === undefined ? undefined : await auth.passwords.hashFor(password, { email, name: name ?? '' }).catch(asUsage)
  const user = await site.users.create({ email, name, role, passwordHash }, site.access.author).catch(asTaken)
  call.output.say(`Made the user "${user.name}" (${user.id}), ${role}.`)
  if (password === undefined) await invite(call, site, user)
  return { data: { ...viewOf(user) }, text: user.id }
}

/** The user is there whatever becomes of the letter: with a code or a link that they ask for they come in as well. */
async function invite(call: Call, site: Quire, user: User): Promise<void> {
  const hint = 'They can sign in all the same: a code or a link that they ask for comes by mail.'
  try {
    const { auth, mail } = await site.signing()
    const delivered = await mail.outbox.deliver(auth.accounts.invitation(user))
    if (delivered) call.output.say(`The invitation, good for 7 days, is handed over: ${delivered.place}.`)
    else call.output.warn({ message: 'No invitation was sent.', hint })
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error
    call.output.warn({ message: `The invitation could not be sent: ${error.message}`, hint })
  }
}

/** A link signs in: it is shown to a person, and never where words may be kept. */
function showTo(call: Call, shown: string): void {
  if (call.interactive) call.output.say(`To sign in: ${shown}`)
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
