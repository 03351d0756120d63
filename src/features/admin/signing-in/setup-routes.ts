import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Author } from '#core/document.ts'
import { fieldOf } from '#core/types/fields.ts'
import { Conflict, type FieldErrors, InvalidInput, NotFound } from '#lib/errors.ts'
import { formToken } from '../requests/own-forms.ts'
import type { Panel } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { textOf } from '../requests/sent.ts'
import { insecure, isPrivateWay } from './cookies.ts'
import { hasOwner, SetUp } from './setup.ts'
import { arrive, mustHaveBegun, SignIns } from './sign-ins.ts'

const OPEN = { isOpen: true } as const
const BY: Author = { name: 'Quire', email: 'quire@localhost' }

/** The fields of the first owner's form. */
const fieldsOf = (least: number) => [
  fieldOf('name', { type: 'text', rules: 'required|max:100' }),
  fieldOf('email', { type: 'email', label: 'E-mail', rules: 'required' }),
  fieldOf('password', {
    type: 'text',
    label: 'Password',
    help: `At least ${least} characters. It may stay empty: then you sign in with a code or a link by mail.`,
  }),
]

/** `/admin/setup/<token>`: the first owner makes their account. */
export function setupRoutes(routes: PanelRoutes, panel: Panel): void {
  const { auth } = panel
  const setUp = new SetUp(panel)
  const signIns = new SignIns(panel)

  const show = async (request: FastifyRequest, reply: FastifyReply, errors: FieldErrors = {}) => {
    if (!isPrivateWay(request)) throw insecure()
    const signIn = await signIns.go(request, reply, '/admin')
    const status = Object.keys(errors).length > 0 ? 422 : 200
    return panel.pages.send(request, reply, {
      template: 'setup',
      title: 'Set up',
      status,
      data: {
        ...{ csrf: formToken(signIn.secret), action: request.url, hidden: [] },
        fields: fieldsOf(auth.passwords.least).map(({ name, label, help, rules }) => ({
          kind: name === 'password' ? 'password' : name === 'email' ? 'email' : 'text',
          ...{ name, id: `f-${name}`, label, value: name === 'password' ? '' : textOf(request, name) },
          ...(help !== undefined && { help }),
          required: rules.some((rule) => rule.name === 'required'),
          ...(errors[name]?.[0] !== undefined && { error: errors[name]?.[0] }),
        })),
        has_secret: textOf(request, 'password') !== '',
        errors: Object.entries(errors).map(([name, [text]]) => ({ id: `f-${name}`, text })),
      },
    })
  }

  routes.get<{ token: string }>(
    '/admin/setup/:token',
    async (request, reply) => {
      await mustBeGood(panel, setUp, request.params.token)
      return show(request, reply)
    },
    OPEN,
  )

  routes.on<{ token: string }>(
    'POST',
    '/admin/setup/:token',
    async (request, reply) => {
      const signIn = await mustHaveBegun(signIns, request)
      const { token } = request.params
      await mustBeGood(panel, setUp, token)
      const [name, email] = [textOf(request, 'name').trim(), textOf(request, 'email').trim()]
      try {
        const passwordHash = await checked(panel, { name, email, secret: textOf(request, 'password') })
        if (!(await setUp.spend(token))) throw gone()
        const user = await auth.users
          .create({ name, email, role: 'owner', ...(passwordHash !== undefined && { passwordHash }) }, BY)
          .catch(async (error: unknown) => {
            await setUp.restore(token)
            throw error
          })
        return await arrive(panel, signIns, { request, reply, signIn }, user, 'link')
      } catch (error) {
        if (error instanceof InvalidInput) return show(request, reply, error.errors)
        if (error instanceof Conflict) return show(request, reply, { email: [error.message] })
        throw error
      }
    },
    OPEN,
  )
}

/** Resolves with the hash of a password, if there is one; throws InvalidInput that names what is wrong with it and all else. */
async function checked({ auth }: Panel, { name, email, secret }: Record<'name' | 'email' | 'secret', string>) {
  const errors: FieldErrors = {}
  const note = (error: unknown): undefined => {
    if (!(error instanceof InvalidInput)) throw error
    Object.assign(errors, error.errors)
  }
  await Promise.resolve({ name, email, role: 'owner' })
    .then((owner) => auth.users.check(owner))
    .catch(note)
  const isAsked = secret.trim() !== ''
  const passwordHash = isAsked ? await auth.passwords.hashFor(secret, { name, email }).catch(note) : undefined
  if (Object.keys(errors).length > 0) throw new InvalidInput(errors)
  return passwordHash
}

async function mustBeGood({ auth }: Panel, setUp: SetUp, token: string): Promise<void> {
  if (!(await setUp.isGood(token)) || (await hasOwner(auth.users))) throw gone()
}

function gone(): NotFound {
  return new NotFound(
    'This address was used, is over fifteen minutes old, or another start has made a newer one. Start the server again for another.',
  )
}
