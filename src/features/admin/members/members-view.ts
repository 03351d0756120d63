import type { Access } from '#core/access/access.ts'
import { fieldOf } from '#core/types/fields.ts'
import type { FieldErrors } from '#lib/errors.ts'
import type { MemberRow, Membership } from '../../membership.ts'
import type { Resource, Row } from '../../resource.ts'
import { RecordForm } from '../forms/record-form.ts'
import { avatarOf } from '../rendering/avatar.ts'
import { urlOf } from '../resources/list-view.ts'

/** The parts of a page with members. */
export interface MembersShown {
  readonly resource: Resource
  readonly access: Access
  readonly row: Row
  readonly timezone: string
  /** The values that were typed for a new member, where that was not taken. */
  readonly typed?: { readonly email: string; readonly role: string } | undefined
  readonly errors: FieldErrors
}

/** Returns the members as the template `parts/members` shows them; undefined for what has none. */
export function membersView(shown: MembersShown): object | undefined {
  const { resource, access, row } = shown
  const { membership } = resource
  if (!membership) return undefined
  const here = `${urlOf(resource)}/${encodeURIComponent(row.id)}/members`
  const isManaging = membership.mayManage(access, row.values)
  const drawn = membership.of(row.values).map((member) => memberView(membership, member, { access, here, isManaging }))
  return {
    columns: [{ label: 'Name' }, { label: 'Role' }, { label: 'Since', is_end: true }, { label: '' }],
    rows: drawn.map(({ view }) => view),
    forms: drawn.flatMap(({ forms }) => forms),
    ...(isManaging && { add: addForm(membership, here, shown) }),
  }
}

function memberView(
  { roles }: Membership,
  { id, name, role, since, isPending }: MemberRow,
  { access, here, isManaging }: { readonly access: Access; readonly here: string; readonly isManaging: boolean },
) {
  const isSelf = access.user === id
  const action = `${here}/${encodeURIComponent(id)}`
  const others = isManaging ? roles.filter(({ value }) => value !== role) : []
  const given = others.map(({ value, label }) => ({
    form: { id: `${value}-${id}`, action, method: 'PUT', hidden: [{ name: 'role', value }] },
    button: { label: `Make ${label.toLowerCase()}`, form: `${value}-${id}`, tone: 'quiet' },
  }))
  const gone = { id: `remove-${id}`, action, method: 'DELETE', hidden: [] }
  const leave = isSelf || isManaging
  const button = { label: isSelf ? 'Leave' : isPending ? 'Withdraw' : 'Remove', form: gone.id, tone: 'danger' }
  return {
    forms: [...given.map(({ form }) => form), ...(leave ? [gone] : [])],
    view: {
      id,
      title: name,
      person: avatarOf({ id, name }),
      ...(isPending ? { note: 'Invited, not signed in yet' } : isSelf && { note: 'You' }),
      cells: [
        { kind: 'text', text: roles.find(({ value }) => value === role)?.label ?? role, is_short: true },
        { kind: 'time', at: since },
        { kind: 'buttons', buttons: [...given.map(({ button }) => button), ...(leave ? [button] : [])], is_end: true },
      ],
    },
  }
}

function addForm({ roles }: Membership, action: string, { typed, errors, timezone }: MembersShown) {
  const least = roles.at(-1)?.value ?? ''
  const help = 'Whoever has no account yet gets an invitation.'
  const form = new RecordForm({
    fields: [
      fieldOf('email', { type: 'email', label: 'E-mail', rules: 'required', help }),
      fieldOf('role', { type: 'select', rules: 'required' }),
    ],
    record: typed ?? { email: '', role: least },
    zone: timezone,
  })
  return { action, fields: form.draw({ errors, optionsOf: ({ name }) => (name === 'role' ? roles : undefined) }).fields }
}
