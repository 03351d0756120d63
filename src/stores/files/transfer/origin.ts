import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import type { AuditEntry } from '#core/audit-log.ts'
import type { Remark } from '#core/backend.ts'
import type { Author } from '#core/document.ts'
import { movedFiles } from '#core/files/moved-files.ts'
import { leftBehind } from '#core/jobs/left-behind.ts'
import { MEDIA } from '#core/key.ts'
import type { Fact } from '#core/ledger.ts'
import type { Cargo, MovedDocument, MovedFile, MovedWrite, Origin } from '#core/transfer.ts'
import { Objects } from '#git/objects/objects.ts'
import { inProgress, openRepository, type Repository, readHead } from '#git/repository.ts'
import { Conflict, Unavailable } from '#lib/errors.ts'
import { openAuditLog } from '../audit/trusted-audit-log.ts'
import { FilesSiteFiles } from '../beside/site-files.ts'
import { FilesBlobs } from '../blobs/blobs.ts'
import { PrivateTrust } from '../disk/private-trust.ts'
import { PRIVATE } from '../disk/tree.ts'
import { shallowCommits } from '../history/record-log.ts'
import { WalkedLog } from '../history/walked-log.ts'
import { JobFolder } from '../jobs/job-folder.ts'
import { openLedger } from '../ledger/trusted-ledger.ts'
import { pathOf } from '../registry/registry.ts'
import { FilesStore } from '../store.ts'
import { type FilesFolder, holdSite, refuseServer } from './hold.ts'
import { markMoved, readMoved, refuseMoved } from './moved.ts'
import { readHistory, type WholeHistory, withBytes } from './past-writes.ts'
import { Present } from './present.ts'
import { keptWrite, type Uncommitted, uncommitted } from './uncommitted.ts'

/** Number of writes whose bytes are read at once. */
const AHEAD = 64

/** The data read from a site. */
interface Found {
  readonly present: Present
  readonly history: WholeHistory | undefined
  readonly tip: string | undefined
  /** The write by hand that what is in no commit is kept as. */
  readonly last: MovedWrite | undefined
  readonly isShallow: boolean
}

/** The parts that a site which is held is read with. */
interface Opened {
  readonly found: Found
  readonly repository: Repository | undefined
  readonly objects: Objects | undefined
  readonly release: () => void
}

/** A site in files, to be carried elsewhere. It is locked until it is closed. */
export class FilesOrigin implements Origin {
  readonly #site: FilesFolder
  readonly #found: Found
  readonly #repository: Repository | undefined
  readonly #objects: Objects | undefined
  readonly #release: () => void

  /**
   * Reads all there is. What is in no commit is kept as of `by`; where that is not given, of who the repository names, else of
   * `otherwise`. Throws Conflict where a server runs on it.
   */
  static async open(
    wanted: FilesFolder,
    { by, otherwise }: { by?: Author | undefined; otherwise: Author },
  ): Promise<FilesOrigin> {
    const site = { ...wanted, privateDir: resolve(wanted.root, wanted.privateDir) }
    refuseServer(site.privateDir)
    refuseMoved(site.privateDir, true)
    // What a crash left half done is finished first.
    const store = await FilesStore.open({ ...site, watch: false })
    const author = by ?? (await store.localAuthor()) ?? otherwise
    await store.close()
    const repository = await repositoryOf(site)
    const release = await holdSite(site.privateDir, repository)
    const objects = repository && new Objects(repository.top)
    try {
      const found = await read(site, { repository, objects, by: author })
      return new FilesOrigin(site, { found, repository, objects, release })
    } catch (error) {
      release()
      await objects?.close()
      throw error
    }
  }

  private constructor(site: FilesFolder, { found, repository, objects, release }: Opened) {
    this.#site = site
    this.#found = found
    this.#repository = repository
    this.#objects = objects
    this.#release = release
  }

  get name(): string {
    return `the files in ${join(this.#site.root, this.#site.content)}`
  }

  get fingerprint(): string {
    const { tip, present } = this.#found
    return fingerprintOf(this.#site, tip, present)
  }

  get cargo(): Cargo {
    const { history, last, present } = this.#found
    const writes = [...(history?.writes ?? []), ...(last ? [last] : [])]
    const revisions = writes.reduce((sum, write) => sum + write.revisions.length, 0)
    return { writes: writes.length, revisions, documents: present.entries().length, privates: present.privates().length }
  }

  get remarks(): readonly Remark[] {
    const { present, last, history, isShallow } = this.#found
    const { privateDir } = this.#site
    const jobs = new JobFolder(join(privateDir, 'jobs'), new PrivateTrust(privateDir))
    const remarks = [...present.remarks, ...leftBehind(jobs.waiting())]
    if (isShallow) {
      const message = 'The clone is shallow: what was before its end is not here, and is not moved.'
      remarks.push({ message, hint: '`git fetch --unshallow` brings it.' })
    }
    if (!last || !history) return remarks
    const many = last.revisions.length === 1 ? 'One file is' : `${last.revisions.length} files are`
    return [...remarks, { message: `${many} not committed: kept as a revision by hand.` }]
  }

  get movedTo(): string | undefined {
    return readMoved(this.#site.privateDir)?.to
  }

  async *writes(done: number): AsyncGenerator<MovedWrite> {
    const { history, last } = this.#found
    const writes = history?.writes ?? []
    const objects = this.#objects
    for (let at = done; objects && at < writes.length; at += AHEAD) {
      yield* await Promise.all(writes.slice(at, at + AHEAD).map((write) => withBytes(objects, write)))
    }
    if (last && done <= writes.length) yield last
  }

  async *documents(): AsyncGenerator<MovedDocument> {
    const { present } = this.#found
    const { content } = this.#site
    for (const entry of present.entries()) {
      yield { key: entry.head.key, file: pathOf(entry).slice(content.length + 1), bytes: present.read(entry) }
    }
    for (const entry of present.privates()) {
      yield { key: entry.head.key, file: pathOf(entry).slice(PRIVATE.length + 1), bytes: present.read(entry) }
    }
  }

  async *files(): AsyncGenerator<MovedFile> {
    const { present } = this.#found
    const { root, content, privateDir, clock, blobs = new FilesBlobs(join(privateDir, 'media'), clock) } = this.#site
    // What can't be read must not be left behind without a word.
    const siteFiles = new FilesSiteFiles({ root, content, privateDir }, clock, (error) => {
      throw error
    })
    const sidecars = present.entries().filter(({ head }) => head.key.kind === MEDIA)
    const documents = function* () {
      for (const entry of sidecars) yield { key: entry.head.key, file: pathOf(entry), bytes: present.read(entry) }
    }
    yield* movedFiles({ siteFiles, blobs }, documents())
  }

  async *facts(): AsyncGenerator<Fact> {
    const ledger = await openLedger(this.#site.privateDir, this.#site.clock, new PrivateTrust(this.#site.privateDir))
    try {
      yield* ledger.facts()
    } finally {
      await ledger.close()
    }
  }

  async *audit(): AsyncGenerator<AuditEntry> {
    const { privateDir } = this.#site
    yield* openAuditLog(privateDir, new PrivateTrust(privateDir)).all({})
  }

  async leave(name: string): Promise<void> {
    refuseServer(this.#site.privateDir)
    const { commit } = this.#repository ? await readHead(this.#repository) : {}
    if (fingerprintOf(this.#site, commit, new Present(this.#site)) !== this.fingerprint) throw writtenMeanwhile()
    await markMoved(this.#site.privateDir, { to: name, at: new Date(this.#site.clock.now()).toISOString() })
  }

  async close(): Promise<void> {
    this.#release()
    await this.#objects?.close()
  }
}

function fingerprintOf({ content }: FilesFolder, tip: string | undefined, present: Present): string {
  return createHash('sha256')
    .update(`${tip ?? ''}\0${content}\0${present.fingerprint()}`)
    .digest('hex')
}

async function read(
  { root, content, privateDir, types, clock }: FilesFolder,
  { repository, objects, by }: { repository: Repository | undefined; objects: Objects | undefined; by: Author },
): Promise<Found> {
  const present = new Present({ root, content, privateDir, types })
  const tip = repository && (await readHead(repository)).commit
  const parts = { present, content, by, now: clock.now() }
  const isShallow = repository !== undefined && shallowCommits(repository).size > 0
  if (!repository || !objects || tip === undefined) {
    const all: Uncommitted = { entries: present.entries(), gone: [] }
    return { present, history: undefined, tip, isShallow, last: keptWrite({ ...parts, lines: undefined }, all) }
  }
  const log = await WalkedLog.read(repository, repository.prefix + content, tip, objects)
  const { places } = present.registry
  const history = await readHistory({
    ...{ repository, log, tip, content },
    places: {
      present: (key) => present.fileOf(key),
      candidates: (key) => places.candidates(key),
      keyAt: (path) => places.keyAt(path),
    },
  })
  const left = await uncommitted(repository, content, tip, present)
  return { present, history, tip, isShallow, last: keptWrite({ ...parts, lines: history.lines }, left) }
}

async function repositoryOf({ root, git }: FilesFolder): Promise<Repository | undefined> {
  const found = await openRepository(root, git.enabled)
  if (!('without' in found)) {
    const busy = inProgress(found)
    if (busy !== undefined)
      throw new Conflict(`A ${busy} is in progress in the repository.`, undefined, 'End it, or take it back.')
    return found
  }
  if (found.without === 'none' || found.without === 'off') return undefined
  throw new Unavailable('The history can’t be moved: git can’t be used.', 1, '`cms doctor` says why.')
}

function writtenMeanwhile(): Conflict {
  const message = 'The site was written to meanwhile, so that what was moved is not all of it.'
  return new Conflict(message, undefined, 'End what writes to it, then run it again.')
}
