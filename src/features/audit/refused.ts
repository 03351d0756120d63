import type { FastifyRequest } from 'fastify'
import type { AuditTarget } from '#core/audit-log.ts'
import { mayChange } from '#http/requests/acting.ts'
import { short } from './entries.ts'

/** The kinds of things by the first words of their addresses, in the API and in the panel. */
const THINGS: Readonly<Record<string, string>> = {
  ...{ content: 'record', taxonomy: 'term', media: 'media', menus: 'menu', settings: 'setting' },
  ...{ users: 'user', tokens: 'token', teams: 'team', webhooks: 'webhook', billing: 'subscription', audit: 'audit' },
}

/** The kinds that only some may read: that somebody tried to is told. */
const PRIVATE: ReadonlySet<string> = new Set(['user', 'token', 'team', 'webhook', 'subscription', 'audit'])

const BY_METHOD: Readonly<Record<string, string>> = { POST: 'created', PUT: 'updated', PATCH: 'updated', DELETE: 'deleted' }
const BY_STEP: Readonly<Record<string, string>> = { rollback: 'restored', move: 'moved', actions: 'updated', delete: 'deleted' }

type Refused = { readonly action: string; readonly target: AuditTarget }

/** Returns what a request was refused: a write, or to read what is private; undefined of any other. */
export function refusedIn(request: FastifyRequest): Refused | undefined {
  const { url = '' } = request.routeOptions
  const params = (request.params ?? {}) as Readonly<Record<string, string | undefined>>
  const [room, first = '', second = '', ...rest] = url.split('/').slice(1)
  const isContent = first === 'cms' && second !== 'taxonomy'
  const word = first.startsWith(':') ? (params[first.slice(1)] ?? '') : first === 'cms' ? second : first
  const kind = isContent ? 'record' : THINGS[word]
  if ((room !== 'api' && room !== 'admin') || kind === undefined) return undefined
  const isWrite = mayChange(request)
  if (!isWrite && !PRIVATE.has(kind)) return undefined
  const type = kind === 'record' ? (params.type ?? kind) : kind
  const id = params.id ?? params.name ?? params.key
  const target = { kind, type: short(type), id: id === undefined ? null : short(id), title: null }
  return { action: isWrite ? actionOf(request, kind, id !== undefined, rest) : `${kind}.read`, target }
}

function actionOf({ method, body }: FastifyRequest, kind: string, isOne: boolean, steps: readonly string[]): string {
  const sent =
    typeof body === 'object' && body !== null && !Buffer.isBuffer(body) ? (body as Readonly<Record<string, unknown>>) : {}
  const asked = typeof sent._method === 'string' ? sent._method.toUpperCase() : method
  const step = steps.map((one) => BY_STEP[one]).find((one) => one !== undefined)
  const deed = step ?? (asked === 'POST' && isOne ? 'updated' : (BY_METHOD[asked] ?? 'updated'))
  if (kind === 'user' && deed === 'updated' && 'role' in sent) return 'role.changed'
  if (kind === 'token' && deed === 'deleted') return 'token.revoked'
  return kind === 'setting' ? `settings.${deed}` : `${kind}.${deed}`
}
