import type { Ledger } from '#core/ledger.ts'
import type { Store } from '#core/store.ts'
import type { Json } from '#lib/json.ts'
import type { Facts, ModuleStore } from '#module/context.ts'
import type { ModuleDefinition } from '#module/module.ts'
import type { Granted } from '../granted.ts'
import { StoredCollection } from './collections.ts'

const LONGEST_NAME = 200
/** The longest life of a fact, in milliseconds: ten years. */
const LONGEST_LIFE = 3650 * 86_400_000

/** The collections and facts of a module. */
export class StoreOfModule implements ModuleStore {
  readonly facts: Facts
  readonly #granted: Granted
  readonly #collections: ReadonlyMap<string, StoredCollection>

  constructor(granted: Granted, definition: Pick<ModuleDefinition, 'collections' | 'resources'>, store: Store, ledger: Ledger) {
    this.#granted = granted
    const made = collectionNames(definition).map((name) => [name, new StoredCollection(granted.module, name, store)] as const)
    this.#collections = new Map(made)
    this.facts = factsOf(granted, ledger)
  }

  collection(name: string): StoredCollection {
    this.#granted.must('store', `the collection "${name}"`)
    const found = this.#collections.get(name)
    if (found) return found
    throw new Error(`The module "${this.#granted.module}" declares no collection "${name}" in \`collections\` or \`resources\`.`)
  }

  /** Returns a collection that is declared; undefined for any other. */
  declared(name: string): StoredCollection | undefined {
    return this.#collections.get(name)
  }
}

/** Returns the names of the collections that a module declares: each once. */
export function collectionNames({ collections = [], resources = [] }: Pick<ModuleDefinition, 'collections' | 'resources'>) {
  return [...new Set([...collections, ...resources.map(({ name }) => name)])]
}

/** Returns the name in the ledger of a fact about a module, or of one of its own (`own`). */
export function factName(module: string, area: string, name: string): string {
  return `module/${module}/${area}/${name}`
}

function factsOf(granted: Granted, ledger: Ledger): Facts {
  const named = (name: string): string => {
    granted.must('store', 'facts')
    if (typeof name !== 'string' || name === '' || name.length > LONGEST_NAME || name.includes('\0'))
      throw new Error(`The name of a fact is a text of up to ${LONGEST_NAME} characters.`)
    return factName(granted.module, 'own', name)
  }
  return {
    put: async (name, value, ttl) => ledger.put(named(name), plain(value), life(ttl)),
    take: async (name) => ledger.take(named(name)),
    peek: async (name) => ledger.peek(named(name)),
    add: async (name, n, ttl) => {
      if (!Number.isFinite(n)) throw new Error('What is added to a counter is a number.')
      return ledger.add(named(name), n, life(ttl))
    },
  }
}

function life(ttl: number): number {
  if (!(ttl > 0)) throw new Error('The life of a fact is a number of milliseconds.')
  return Math.min(ttl, LONGEST_LIFE)
}

function plain(value: Json): Json {
  return JSON.parse(JSON.stringify(value ?? null)) as Json
}
