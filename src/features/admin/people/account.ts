import type { FastifyReply, FastifyRequest } from 'fastify'
import { fieldOf } from '#core/types/fields.ts'
import { askedBy } from '#http/requests/write-options.ts'
import { type FieldErrors, InvalidInput, NotFound, TooMany } from '#lib/errors.ts'
import { RecordForm } from '../forms/record-form.ts'
import { leadOn, type Panel, SESSION_COOKIE, signedIn } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { textOf } from '../requests/sent.ts'
import type { PanelSession } from '../signing-in/panel-sessions.ts'

const HERE = '/admin/account'

/** The words for the ways to sign in. */
const WAYS = { code: 'with a code', link: 'with a link', password: 'with a password', provider: 'with another account' } as const

/** `/admin/account`: one's own name, password and sessions. */
export function accountRoutes(routes: PanelRoutes, panel: Panel): void {
  const page = new AccountPage(panel)
  routes.get(HERE, (request, reply) => page.show(request, reply))
  routes.on('PUT', HERE, (request, reply) => page.rename(request, reply))
  routes.on('PUT', `${HERE}/password`, (request, reply) => page.setPassword(request, reply))
  routes.on('POST', `${HERE}/sign-out`, (request, reply) => page.signOutEverywhere(request, reply))
  routes.on<{ id: string }>('DELETE', `${HERE}/sessions/:id`, (request, reply) =>
    page.endSession(request, reply, request.params.id),
  )
}

/** One's own account. */
class AccountPage {
  readonly #panel: Panel

  constructor(panel: Panel) {
    this.#panel = panel
  }

  async show(request: FastifyRequest, reply: FastifyReply, errors: FieldErrors = {}, status = 200): Promise<FastifyReply> {
    // No password goes back to a page.
    const typed = status === 422 && 'name' in errors ? textOf(request, 'name') : undefined
    const { user, session } = signedIn(request)
    const { auth, pages, sessions, site } = this.#panel
    const all = await sessions.of(user)
    const drawn = (fields: Parameters<typeof fieldOf>[], record: { name?: string }) =>
      new RecordForm({ fields: fields.map((field) => fieldOf(...field)), record, zone: site.timezone }).draw({ errors }).fields
    const name = drawn([['name', { type: 'text', rules: 'required|max:100' }]], { name: typed ?? user.name })
    const secret = { type: 'text', rules: 'max:128' } as const
    const asked: Parameters<typeof fieldOf>[] = [
      ...(user.passwordHash === undefined
        ? []
        : [['current', { ...secret, label: 'Current password' }] as Parameters<typeof fieldOf>]),
      [
        'password',
        {
          ...secret,
          label: 'New password',
          help: `At least ${auth.passwords.least} characters: some words that have nothing to do with one another do well.`,
        },
      ],
    ]
    const passwords = drawn(asked, {}).map((field) => ({
      ...field,
      kind: 'password',
      autocomplete: field.name === 'current' ? 'current-password' : 'new-password',
    }))
    return pages.send(request, reply, {
      template: 'account',
      title: 'Your account',
      status,
      data: {
        heading: 'Your account',
        note: user.email,
        forms: [
          { id: 'name', label: 'Name', action: HERE, method: 'PUT', fields: name, save: 'Save' },
          ...(auth.methods.includes('password')
            ? [
                {
                  id: 'password',
                  label: 'Password',
                  note: 'Signs you out everywhere else.',
                  action: `${HERE}/password`,
                  method: 'PUT',
                  fields: passwords,
                  save: 'Set password',
                },
              ]
            : []),
        ],
        sessions: all.map((one) => sessionRow(one, session.id)),
        session_forms: all
          .filter(({ id }) => id !== session.id)
          .map(({ id }) => ({ id: `end-${id}`, action: `${HERE}/sessions/${id}`, method: 'DELETE' })),
        leave: { action: '/admin/logout', everywhere: { action: `${HERE}/sign-out`, label: 'Sign out everywhere' } },
        kept: 'name' in errors ? undefined : 'No password is kept on a page: type them again.',
        errors: Object.entries(errors).map(([field, [text]]) => ({ id: `f-${field}`, text })),
      },
    })
  }

  async rename(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { user, access } = signedIn(request)
    try {
      const asked = askedBy(request, undefined)
      await this.#panel.auth.users.update(user.id, { name: textOf(request, 'name') }, access.author, undefined, asked)
    } catch (error) {
      if (error instanceof InvalidInput) return this.show(request, reply, error.errors, 422)
      throw error
    }
    return leadOn(reply, `${HERE}?done=saved`)
  }

  async setPassword(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { auth, sessions } = this.#panel
    if (!auth.methods.includes('password')) throw new NotFound('There is no such page.')
    const { user, access, session } = signedIn(request)
    const current = textOf(request, 'current')
    try {
      const change = { password: textOf(request, 'password'), ...(current !== '' && { current }) }
      const changed = await auth.passwords.change({ user, access, session }, change, request.ip)
      // That ended all sessions, and this one goes on as another. A code that began it is not good for a second change.
      SESSION_COOKIE.set(request, reply, await sessions.begin(changed, 'password', session.agent))
    } catch (error) {
      if (error instanceof InvalidInput) return this.show(request, reply, error.errors, 422)
      if (error instanceof TooMany) return this.show(request, reply, { current: [error.message] }, 429)
      throw error
    }
    return leadOn(reply, `${HERE}?done=saved`)
  }

  async signOutEverywhere(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { user, access, session } = signedIn(request)
    await this.#panel.auth.users.endSessions(user.id, access.author)
    request.signedOut = { user, session: session.id }
    SESSION_COOKIE.clear(request, reply)
    return leadOn(reply, '/admin/signed-out')
  }

  async endSession(request: FastifyRequest, reply: FastifyReply, id: string): Promise<FastifyReply> {
    const { user } = signedIn(request)
    const { sessions } = this.#panel
    const theirs = (await sessions.of(user)).find((one) => one.id === id)
    if (!theirs) throw new NotFound('The session was not found: it may be over already.')
    await sessions.end(id)
    request.signedOut = { user, session: id }
    return leadOn(reply, `${HERE}?done=ended`)
  }
}

function sessionRow({ id, how, agent, seen }: PanelSession, current: string) {
  const isThis = id === current
  return {
    icon: /Mobile|Android|iPhone/.test(agent) ? 'phone' : 'monitor',
    title: isThis ? 'This browser' : browserOf(agent),
    note: `${isThis ? `${browserOf(agent)}, ` : ''}${WAYS[how]}`,
    at: seen,
    ...(!isThis && { button: { label: 'End', form: `end-${id}`, tone: 'quiet' } }),
  }
}

/** The name of a browser, as far as it tells. */
function browserOf(agent: string): string {
  const known = [
    ['Edg/', 'Edge'],
    ['OPR/', 'Opera'],
    ['Firefox/', 'Firefox'],
    ['Chrome/', 'Chrome'],
    ['Safari/', 'Safari'],
  ] as const
  return known.find(([mark]) => agent.includes(mark))?.[1] ?? 'A browser'
}
