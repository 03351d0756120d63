import type { FastifyReply, FastifyRequest } from 'fastify'
import { askedBy } from '#http/requests/write-options.ts'
import { NotFound } from '#lib/errors.ts'
import type { Membership } from '../../membership.ts'
import type { Resource } from '../../resource.ts'
import { leadOn, signedIn } from '../requests/panel.ts'
import type { PanelRoutes } from '../requests/panel-routes.ts'
import { textOf } from '../requests/sent.ts'
import { refusalOf } from '../resources/form-outcomes.ts'
import type { FormPages } from '../resources/form-pages.ts'
import { addressWith } from '../resources/list-address.ts'
import { urlOf } from '../resources/list-view.ts'

/** The parameters of an address of members. */
interface Params {
  readonly resource?: string
  readonly id?: string
  readonly user?: string
}

type Request = FastifyRequest<{ Params: Params }>

/** Does something to the members of one thing. */
type Act = (membership: Membership, request: Request) => Promise<void>

/** Adding members, giving them another role, removing them: `…/{id}/members[/{user}]`. */
export function memberRoutes(
  routes: PanelRoutes,
  { named, forms }: { readonly named: (request: Request) => Promise<Resource>; readonly forms: FormPages },
): void {
  const doing = (act: Act) => async (request: Request, reply: FastifyReply) => {
    const resource = await named(request)
    if (!resource.membership) throw new NotFound('There is no such page.')
    return change(forms, { resource, membership: resource.membership, act }, request, reply)
  }
  const base = '/admin/:resource/:id/members'
  routes.on<Params>('POST', base, doing(add))
  routes.on<Params>('PUT', `${base}/:user`, doing(setRole))
  routes.on<Params>('DELETE', `${base}/:user`, doing(remove))
}

function add(membership: Membership, request: Request): Promise<void> {
  const member = { email: textOf(request, 'email').trim(), role: textOf(request, 'role') }
  return membership.add(signedIn(request).access, idOf(request), member, askedBy(request, undefined))
}

function setRole(membership: Membership, request: Request): Promise<void> {
  return membership.setRole(signedIn(request).access, idOf(request), memberOf(request), textOf(request, 'role'))
}

function remove(membership: Membership, request: Request): Promise<void> {
  return membership.remove(signedIn(request).access, idOf(request), memberOf(request), askedBy(request, undefined))
}

async function change(
  forms: FormPages,
  { resource, membership, act }: { readonly resource: Resource; readonly membership: Membership; readonly act: Act },
  request: Request,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { access } = signedIn(request)
  const row = await resource.get(access, idOf(request))
  try {
    await act(membership, request)
  } catch (error) {
    if (!membership.mayManage(access, row.values) && memberOf(request) !== access.user) throw error
    const typed = act === add ? { email: textOf(request, 'email'), role: textOf(request, 'role') } : undefined
    return forms.draw(resource, row, request, reply, { refused: refusalOf(error), typed })
  }
  // Who left may see it no more.
  const isLeaving = act === remove && memberOf(request) === access.user
  const url = urlOf(resource)
  return leadOn(reply, addressWith(isLeaving ? url : `${url}/${encodeURIComponent(row.id)}/edit`, { done: 'saved' }))
}

function idOf({ params }: Request): string {
  return params.id ?? ''
}

function memberOf({ params }: Request): string {
  return params.user ?? ''
}
