import type { Document } from '#core/document.ts'
import type { MediaLookup } from '#core/media/media-values.ts'
import type { Store } from '#core/store.ts'
import type { ContentTypes } from '#core/types/content-type.ts'
import type { WriteCheck } from '#core/writes.ts'
import type { Tagged } from '#http/answers/etag.ts'
import type { Clock } from '#lib/clock.ts'
import { KeyedMutex } from '#lib/concurrency/keyed-mutex.ts'
import { Histories } from './histories.ts'
import { Addresses } from './links/addresses.ts'
import type { Relinker } from './links/relinker.ts'
import type { ListSearch } from './reading/found-lists.ts'
import { Renderer } from './reading/present.ts'
import { TypeRegistry } from './type-registry.ts'
import { Bases } from './writing/bases.ts'

/** The dependencies shared by the components of `Records`, and by `Revisions`: one write of a record waits for another. */
export interface Deps {
  readonly store: Store
  readonly types: ContentTypes
  readonly clock: Clock
  readonly registry: TypeRegistry
  readonly renderer: Renderer
  readonly bases: Bases
  readonly histories: Histories
  readonly mutex: KeyedMutex
  readonly addresses: Addresses
  /** Loads the relinker, which makes links follow a record that moves, on first use. */
  readonly relinker: () => Promise<Relinker>
  /** Finds media for the fields that hold them; undefined where media are switched off. */
  readonly media: () => MediaLookup | undefined
  /** Absent where search is switched off. */
  readonly search: ListSearch | undefined
  /** Looks at writes before they happen, where something does. */
  readonly check: WriteCheck | undefined
}

/** The dependencies that store and find records. */
export interface RecordDeps extends Pick<Deps, 'store' | 'types' | 'clock'> {
  readonly search?: ListSearch | undefined
  readonly media?: (() => MediaLookup | undefined) | undefined
  /** URL of the site on the web (`site.url`). Links with it are the site's own. */
  readonly url: string
  readonly check?: WriteCheck | undefined
}

/** The parts over a store. */
export function recordParts({ store, types, clock, search, media = () => undefined, url, check }: RecordDeps): Deps {
  const bases = new Bases(clock)
  const addresses = new Addresses({ store, types, clock, isSearched: search !== undefined })
  let relinker: Promise<Relinker> | undefined
  return {
    store,
    types,
    clock,
    registry: new TypeRegistry(store, types),
    renderer: new Renderer(clock, (document) => bases.remember(document)),
    bases,
    histories: new Histories({ store, clock }),
    mutex: new KeyedMutex(),
    addresses,
    relinker: () => {
      relinker ??= import('./links/relinker.ts').then(({ Relinker }) => new Relinker({ store, types, clock, addresses, url }))
      return relinker
    },
    media,
    search,
    check,
  }
}

/** A record as it is answered: `body` is the whole answer, `{"data":…}`. */
export interface RecordAnswer extends Tagged {
  readonly document: Document
  /** The record as JSON. */
  readonly json: Buffer
}

/** A record's part of an answer: its JSON, and what stands for it in the answer's ETag. */
export interface Part {
  readonly json: Buffer
  readonly tag: string
  /** Time at which the clock makes it outdated, in milliseconds since 1970. */
  readonly until: number
}
