import type { Test } from 'tap'
import type { Clock } from '../../src/core/clock.ts'
import type { ContentTypes } from '../../src/core/content-type.ts'
import type { Ledger } from '../../src/core/ledger.ts'
import type { Store } from '../../src/core/store.ts'
import type { GitSettings } from '../../src/stores/files/git/git.ts'
import { FilesLedger } from '../../src/stores/files/ledger/ledger.ts'
import type { FilesOptions } from '../../src/stores/files/options.ts'
import { FilesStore } from '../../src/stores/files/store.ts'
import { TestClock } from './clock.ts'
import { makeRepository } from './git.ts'
import { MemoryLedger, MemoryStore } from './model.ts'
import { makeSite, type TestSite } from './sites.ts'
import { plainTypes } from './types.ts'

/** What a test of any store is given: the store, its clock and types, and the files it began with. */
export interface OpenedStore {
  name: 'files' | 'git' | 'memory'
  store: Store
  ledger: Ledger
  clock: TestClock
  types: ContentTypes
  /** The site's folder, where there is one. */
  site?: TestSite
  close(): Promise<void>
}

/** What is there at the start: files by path from the site's root, types (else those of a site without configuration), the time. */
export interface StoreOptions {
  files?: Readonly<Record<string, string>>
  types?: ContentTypes
  now?: string
  watch?: boolean
  /** Whether revisions are kept: in a repository of its own, where there are files. */
  history?: boolean
}

type Body = (t: Test, opened: OpenedStore) => Promise<void>

/** Runs `body` as a subtest for each store there is; files are in a repository where a history is asked for, and only there. */
export async function eachStore(t: Test, options: StoreOptions, body: Body): Promise<void> {
  await loop(t, [() => openFiles(options), () => openMemory(options)], body)
}

/** As `eachStore`, with files both without a repository and in one: for what a store promises whether or not it keeps a history. */
export async function everyStore(t: Test, options: StoreOptions, body: Body): Promise<void> {
  const kept = { ...options, history: true }
  await loop(t, [() => openFiles(options), () => openFiles(kept), () => openMemory(options)], body)
}

async function loop(t: Test, stores: readonly (() => Promise<OpenedStore>)[], body: Body): Promise<void> {
  for (const open of stores) {
    const opened = await open()
    await t.test(opened.name, async (t) => {
      t.teardown(opened.close)
      await body(t, opened)
    })
  }
}

/** The in-memory model as an opened store. */
export async function openMemory(options: StoreOptions): Promise<OpenedStore> {
  const clock = new TestClock(options.now)
  const types = options.types ?? plainTypes()
  const store = new MemoryStore({ types, clock, files: options.files ?? {}, history: options.history ?? false })
  return { name: 'memory', store, ledger: new MemoryLedger(clock), clock, types, close: () => store.close() }
}

/** A folder of its own as an opened store, removed when it is closed. */
export async function openFiles(options: StoreOptions): Promise<OpenedStore & { site: TestSite; store: FilesStore }> {
  const site = makeSite(options.files)
  const clock = new TestClock(options.now)
  const types = options.types ?? plainTypes()
  if (options.history) makeRepository(site)
  const git = options.history ? { git: GIT } : {}
  const store = await FilesStore.open({ ...filesOptions(site, types, clock), watch: options.watch ?? false, ...git })
  const ledger = await FilesLedger.open(site.path('.cms/ledger.log'), clock)
  const close = async () => {
    await store.close()
    await ledger.close()
    site.remove()
  }
  return { name: options.history ? 'git' : 'files', store, ledger, clock, types, site, close }
}

/** `git` of a configuration that says nothing of it. */
export const GIT: GitSettings = {
  enabled: true,
  branch: null,
  remote: 'origin',
  local_edits: 'keep',
  author: { name: 'Quire', email: 'quire@localhost' },
}

/** The options of a files store on a test's site, without watching. */
export function filesOptions(site: TestSite, types: ContentTypes, clock: Clock): FilesOptions {
  return { root: site.root, content: 'content', privateDir: '.cms', types, clock, watch: false, fingerprint: 'test' }
}
