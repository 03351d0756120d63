import { setTimeout as pause } from 'node:timers/promises'
import type { LoadedModule, ModuleSet } from '#features/modules/module-set.ts'
import type { ModuleDefinition } from '#module/module.ts'
import { throttle, validate } from '#module/module.ts'

/** A module of a test: its definition, and the permissions of its manifest. */
export interface TestModule {
  readonly name?: string
  readonly permissions?: readonly string[]
  readonly definition: Omit<ModuleDefinition, 'api'>
}

/** Returns it as if it was loaded. */
export function loadedModule({ name = 'contacts', permissions = ['store'], definition }: TestModule): LoadedModule {
  return { name, version: '1.0.0', description: '', permissions, definition: { api: 1, ...definition }, folder: '/nowhere' }
}

/** A module that misbehaves, and what is to come of it: `off` where it is switched off when the app is made. */
export interface Misbehaving extends TestModule {
  readonly name: string
  readonly becomes: 'on' | 'off'
}

const never = () => new Promise<never>(() => undefined)

function fail(): never {
  throw new Error('It misbehaves.')
}

async function late(): Promise<never> {
  await pause(5)
  return fail()
}

const ALL = [
  'store',
  'mail',
  'site',
  'jobs',
  'records:content:read',
  'records:content:drafts',
  'records:content:write',
  'routes:/api/mine',
]

type Definition = Omit<ModuleDefinition, 'api'>

function module(
  name: string,
  definition: Definition,
  becomes: 'on' | 'off' = 'on',
  permissions: readonly string[] = ALL,
): Misbehaving {
  return { name, becomes, permissions, definition }
}

function answering(name: string, answer: () => unknown, response?: object): Misbehaving {
  const options = { auth: 'public', ...(response && { response }) } as const
  return module(name, { routes: (app) => app.get(`/api/x/${name}/bad`, options, answer) })
}

const NAMED = {
  type: 'object',
  required: ['data'],
  additionalProperties: false,
  properties: { data: { type: 'string' } },
} as const

const routes = (path: string, method: 'get' | 'post' = 'get'): Definition => ({ routes: (app) => app[method](path, () => ({})) })

/** Thirty modules that misbehave, each in its own way. */
export const MISBEHAVING: readonly Misbehaving[] = [
  module('throws-in-routes', { routes: fail }, 'off'),
  module('async-routes', { routes: (async () => fail()) as never }, 'off'),
  module('throws-in-check', { checks: { 'record.write': fail } }),
  module('rejects-in-check', { checks: { 'record.write': late } }),
  module('never-checks', { checks: { 'record.write': never } }),
  module('odd-check', { checks: { 'record.write': () => ({ title: 7 }) as never } }),
  module('changes-in-check', {
    checks: {
      'record.write': (write) => {
        Object.assign(write.record, { title: 'stolen', status: 'published' })
        return undefined
      },
    },
  }),
  module('throws-in-listener', { on: { 'record.*': fail } }),
  module('never-listens', { on: { 'record.*': never } }),
  module('unknown-event', { on: { 'record.stolen': () => undefined } }, 'off'),
  module('throws-in-visited', { visited: fail }),
  module('rejects-in-visited', { visited: (() => late()) as never }),
  module('throws-in-begin', { begin: fail }),
  module('throws-in-close', { close: fail }),
  module('throws-in-job', { jobs: { sweep: { run: late, every: '1s' } } }),
  module('throws-in-migration', { migrations: [{ number: 1, run: fail }] }),
  module('claims-content', routes('/api/cms/posts'), 'off'),
  module('claims-site', routes('/blog/hello'), 'off'),
  module('claims-others', routes('/api/x/never-checks/y'), 'off'),
  module('claims-up', routes('/api/x/claims-up/../../cms/posts'), 'off'),
  module(
    'claims-twice',
    {
      routes: (app) => {
        app.get('/api/x/claims-twice/:a', () => ({}))
        app.get('/api/x/claims-twice/:b', () => ({}))
      },
    },
    'off',
  ),
  module(
    'thousand-routes',
    {
      routes: (app) => {
        for (let n = 0; n < 1000; n++) app.get(`/api/x/thousand-routes/r${n}`, () => ({}))
      },
    },
    'off',
  ),
  module(
    'odd-rules',
    { routes: (app) => app.post('/api/x/odd-rules', { body: validate({ a: 'no-such-rule' }) }, () => ({})) },
    'off',
  ),
  module(
    'asks-users',
    { routes: (app) => app.post('/api/x/asks-users', { body: validate({ a: 'unique:.users' }) }, () => ({})) },
    'off',
    ['store'],
  ),
  module('odd-throttle', { routes: (app) => app.get('/api/x/odd-throttle', { use: [throttle('many')] }, () => ({})) }, 'off'),
  answering('throws-in-handler', fail),
  answering('rejects-in-handler', late),
  answering('never-answers', never),
  answering('leaks', () => ({ data: 'x', password: 'secret' }), NAMED),
  answering('circular', () => {
    const value: Record<string, unknown> = {}
    value.self = value
    return value
  }),
]

/** Returns the one of this name, as a site has it. */
export function misbehavingSet(name: string): ModuleSet {
  const found = MISBEHAVING.filter((one) => one.name === name)
  if (found.length === 0) throw new TypeError(`No module misbehaves as "${name}" does.`)
  return { on: found.map(loadedModule), off: [] }
}
