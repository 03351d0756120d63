import { nearest } from '#lib/text/nearest.ts'
import type { ModuleDefinition } from '#module/module.ts'

/** The forms of the parts of a definition. */
const PARTS = {
  api: 'number',
  settings: 'map',
  collections: 'list',
  migrations: 'list',
  routes: 'function',
  checks: 'map',
  on: 'map',
  visited: 'function',
  fieldTypes: 'map',
  filters: 'map',
  tags: 'map',
  markdown: 'function',
  resources: 'list',
  pages: 'list',
  cards: 'list',
  jobs: 'map',
  commands: 'list',
  begin: 'function',
  close: 'function',
} as const satisfies Record<keyof ModuleDefinition, 'number' | 'map' | 'list' | 'function'>

const WORDS = { number: 'a number', map: 'an object', list: 'a list', function: 'a function' } as const

/** The member of each member of a part that is a function; the empty text stands for the member itself. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  ...{ checks: '', on: '', filters: '', tags: '' },
  ...{ jobs: 'run', commands: 'run', migrations: 'run' },
}

/** The most members of a part. */
const MOST = 500

/** Returns the definition that a file exports by default. Throws, with a sentence, where it is none. */
export function definitionOf(exported: unknown): ModuleDefinition {
  if (!isMap(exported)) throw new Error('It has no default export that is made by `defineModule({…})`.')
  if (exported.api !== 1) throw otherMajor(exported.api)
  for (const [name, value] of Object.entries(exported)) {
    const form = Object.hasOwn(PARTS, name) ? PARTS[name as keyof typeof PARTS] : undefined
    if (!form) throw noPart(name)
    if (value === undefined) continue
    if (!isOf(form, value)) throw new Error(`Its part "${name}" must be ${WORDS[form]}.`)
    mustHaveFunctions(name, value)
  }
  return exported as unknown as ModuleDefinition
}

function noPart(name: string): Error {
  const near = nearest(name, Object.keys(PARTS))
  const rest = near ? `Did you mean "${near}"?` : `There are ${Object.keys(PARTS).join(', ')}.`
  return new Error(`There is no part "${name.slice(0, 50)}" of a module. ${rest}`)
}

function otherMajor(api: unknown): Error {
  if (typeof api !== 'number') return new Error('Its default export says no `api: 1`.')
  return new Error(`It is for another major of the shape of modules, ${api}: this release loads 1.`)
}

function mustHaveFunctions(part: string, value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const members = Object.entries(value)
  if (members.length > MOST) throw new Error(`Its part "${part}" has over ${MOST} members.`)
  const member = FUNCTIONS[part]
  if (member === undefined) return
  const functionIn = (one: unknown) => (member === '' ? one : (one as Readonly<Record<string, unknown>> | null)?.[member])
  const wrong = members.find(([, one]) => typeof functionIn(one) !== 'function')
  if (!wrong) return
  const where = member === '' ? `"${wrong[0]}"` : `\`${member}\` of "${wrong[0]}"`
  throw new Error(`Its part "${part}" must have a function in ${where}.`)
}

function isOf(form: 'number' | 'map' | 'list' | 'function', value: unknown): boolean {
  if (form === 'list') return Array.isArray(value)
  return form === 'map' ? isMap(value) : typeof value === form
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
