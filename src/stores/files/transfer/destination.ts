import { basename, join, resolve } from 'node:path'
import { type AuditEntry, takeEntries } from '#core/audit-log.ts'
import { isSitePath } from '#core/files/site-files.ts'
import { isPrivate, keyText } from '#core/key.ts'
import type { Fact } from '#core/ledger.ts'
import type { ComingFile, Destination, MovedDocument, MovedWrite } from '#core/transfer.ts'
import { logOf } from '#git/history/log.ts'
import { standing } from '#git/landing/standing.ts'
import { clearPending, FastImport } from '#git/objects/fast-import.ts'
import { git } from '#git/process.ts'
import type { Repository } from '#git/repository.ts'
import { append } from '#lib/append.ts'
import { Conflict, InvalidInput } from '#lib/errors.ts'
import { makePrivateDir } from '#stores/engine/private-folder.ts'
import { openAuditLog } from '../audit/trusted-audit-log.ts'
import { FilesBlobs } from '../blobs/blobs.ts'
import { PrivateTrust } from '../disk/private-trust.ts'
import { PRIVATE, Tree } from '../disk/tree.ts'
import { openLedger, removeLedger } from '../ledger/trusted-ledger.ts'
import { FileRegistry } from '../registry/file-registry.ts'
import { type FilesFolder, holdSite, refuseServer } from './hold.ts'
import { type Arriving, noteArriving, readArriving, unmarkMoved } from './moved.ts'
import { commitFiles, PlacedBytes } from './placed-bytes.ts'
import { PlacedFiles } from './placed-files.ts'
import { privateFiles } from './present.ts'
import { Retelling } from './retelling.ts'
import { repositoryToFill } from './target-repository.ts'

/** Number of facts that are kept in one step; each may be some MB long. */
const FACTS_AT_ONCE = 100

/** The target of a transfer, once it has begun. */
interface Begun {
  readonly repository: Repository
  readonly fastImport: FastImport
  readonly retelling: Retelling
}

/** A folder that a site is carried into: its history becomes commits on the branch that is checked out, its documents files. */
export class FilesDestination implements Destination {
  readonly #site: FilesFolder
  readonly #registry: FileRegistry
  #begun: Begun | undefined
  #arriving: Arriving | undefined
  #release: (() => void) | undefined
  /** The files that were put, from the root. */
  readonly #files: string[] = []

  /** Opens the folder of a site; nothing is changed before `begin`. */
  static async open(site: FilesFolder): Promise<FilesDestination> {
    return new FilesDestination({ ...site, privateDir: resolve(site.root, site.privateDir) })
  }

  private constructor(site: FilesFolder) {
    this.#site = site
    this.#registry = new FileRegistry(new Tree(site.root, site.content, site.privateDir), site.types, () => undefined)
    this.#arriving = readArriving(site.privateDir)
  }

  get name(): string {
    return `the files in ${resolve(this.#site.root, this.#site.content)}`
  }

  get arriving(): string | undefined {
    return this.#arriving?.fingerprint
  }

  async begin(fingerprint: string): Promise<number> {
    const { root, privateDir, git: settings } = this.#site
    refuseServer(privateDir)
    if (!this.#arriving) this.#refuseDocuments()
    const known = this.#arriving
    if (known?.tip !== undefined && known.fingerprint !== fingerprint) throw otherArrival(this.#site)
    const repository = await repositoryToFill(root, settings)
    makePrivateDir(privateDir)
    this.#release = await holdSite(privateDir, repository)
    const { ref, commit } = await standing(repository, settings.branch)
    const isBack = known?.tip !== undefined && commit === known.tip
    if (!isBack) await this.#refuseHistory(repository, commit)
    const base = known?.tip === undefined ? commit : known.base
    if (!isBack && base !== commit)
      throw new Conflict(`${ref} was committed to meanwhile.`, undefined, 'Take that back, and run it again.')
    const fastImport = new FastImport(repository, false)
    const parts = { repository, fastImport, folder: this.#full(repository, ''), base, committer: settings.author }
    this.#begun = { repository, fastImport, retelling: new Retelling(parts) }
    // Commits are made quickly: a history that is not whole is made anew.
    if (known?.tip !== undefined) return known.writes
    await this.#note({ fingerprint, writes: 0, tip: undefined, base })
    return 0
  }

  async takeWrites(writes: readonly MovedWrite[]): Promise<void> {
    for (const { revisions } of writes)
      for (const { key, file } of revisions) this.#checkPlace(keyText(key), `${this.#site.content}/${file}`)
    await this.#begunNow.retelling.take(writes)
    const { fingerprint, base, writes: before } = this.#arrivingNow
    this.#arriving = { fingerprint, base, writes: before + writes.length, tip: undefined }
  }

  async takeDocuments(documents: AsyncIterable<MovedDocument>): Promise<void> {
    const { root, content, privateDir } = this.#site
    const { retelling, fastImport } = this.#begunNow
    await fastImport.close()
    // From here on there are files: what began has to be ended.
    await this.#note({ ...this.#arrivingNow, tip: this.#arrivingNow.tip ?? retelling.tip })
    const placed = new PlacedFiles()
    for await (const { key, file, bytes } of documents) {
      this.#checkPlace(keyText(key), isPrivate(key.kind) ? `${PRIVATE}/${file}` : `${content}/${file}`)
      const folder = isPrivate(key.kind) ? privateDir : resolve(root, content)
      await placed.put(folder, file, bytes, isPrivate(key.kind) ? 'private' : 'public')
    }
    await placed.end()
  }

  async takeFiles(files: AsyncIterable<ComingFile>): Promise<void> {
    const { root, content, privateDir, clock, besideMax, blobs = new FilesBlobs(join(privateDir, 'media'), clock) } = this.#site
    const placed = new PlacedBytes()
    for await (const { area, path, size, named, open } of files) {
      if (!isSitePath(area, path)) throw new InvalidInput({ [path]: [`${area}/${path} is no name that a file can have here.`] })
      if (named !== undefined && size > besideMax) {
        const { ref, isNew } = await blobs.put(await open(), size)
        if (ref === named) continue
        // Others than the sidecar says: nobody would find them by it.
        if (isNew) await blobs.remove(ref)
      }
      await placed.put(root, `${area === 'static' ? area : content}/${path}`, await open())
    }
    await placed.end()
    append(this.#files, placed.files)
  }

  async takeFacts(facts: AsyncIterable<Fact>): Promise<void> {
    const { privateDir, clock } = this.#site
    // An earlier attempt may have brought facts that are taken since.
    removeLedger(privateDir)
    const ledger = await openLedger(privateDir, clock, new PrivateTrust(privateDir))
    const batch: Fact[] = []
    const keep = () => Promise.all(batch.splice(0).map(({ name, value, until }) => ledger.put(name, value, until - clock.now())))
    try {
      for await (const fact of facts) if (batch.push(fact) === FACTS_AT_ONCE) await keep()
      await keep()
    } finally {
      await ledger.close()
    }
  }

  async takeAudit(entries: AsyncIterable<AuditEntry>): Promise<void> {
    const { privateDir } = this.#site
    await takeEntries(openAuditLog(privateDir, new PrivateTrust(privateDir)), entries)
  }

  async finish(): Promise<void> {
    const { repository } = this.#begunNow
    const { root, git: settings } = this.#site
    const { tip: last, base } = this.#arrivingNow
    const tip = await commitFiles(repository, { root, files: this.#files, by: settings.author, on: last ?? base })
    // By it a move that is cut short after the branch has moved is known.
    if (tip !== last) await this.#note({ ...this.#arrivingNow, tip })
    const { ref, commit } = await standing(repository, settings.branch)
    if (tip !== undefined) {
      await git(repository.top, base === undefined ? ['read-tree', '-m', tip] : ['read-tree', '-m', base, tip])
      await git(repository.top, ['update-index', '-q', '--refresh'], { accept: [1] })
      if (commit !== tip) await git(repository.top, ['update-ref', '-m', 'cms storage:migrate', ref, tip, base ?? ''])
      await clearPending(repository, tip)
    }
    unmarkMoved(this.#site.privateDir)
    await noteArriving(this.#site.privateDir, undefined)
    this.#arriving = undefined
  }

  async close(): Promise<void> {
    await this.#begun?.fastImport.close()
    this.#release?.()
  }

  get #begunNow(): Begun {
    if (!this.#begun) throw new Error('Nothing has begun to arrive.')
    return this.#begun
  }

  get #arrivingNow(): Arriving {
    if (!this.#arriving) throw new Error('Nothing has begun to arrive.')
    return this.#arriving
  }

  async #note(arriving: Arriving): Promise<void> {
    await noteArriving(this.#site.privateDir, arriving)
    this.#arriving = arriving
  }

  #full({ prefix }: Repository, file: string): string {
    return `${prefix}${this.#site.content}${file === '' ? '' : `/${file}`}`
  }

  /**
   * Checks that a document belongs at a path. A path that belongs to another document would overwrite it, and others might lead
   * out of the site.
   */
  #checkPlace(key: string, path: string): void {
    const slash = path.lastIndexOf('/')
    const place = this.#registry.places.ofFile(path.slice(0, slash), path.slice(slash + 1))
    if (place && 'key' in place && keyText(place.key) === key) return
    throw new InvalidInput({ [path]: [`${key} can't be kept in ${path}: that is no place of its own.`] })
  }

  #refuseDocuments(): void {
    this.#refuseContent()
    this.#refusePrivate()
  }

  #refuseContent(): void {
    this.#registry.walk(this.#site.content)
    const [entry] = this.#registry.folders.contentEntries()
    const problem = this.#registry.problems().find(({ severity }) => severity === 'error')
    const file = entry ? `${entry.folder}/${entry.name}` : problem?.file
    if (file === undefined) return
    const hint = 'Move that folder aside, with its history, or migrate into another site: -C another-folder.'
    throw new Conflict(`The folder ${this.#site.content} is not empty: there is ${file}.`, undefined, hint)
  }

  /** An account or a token of before would be one of the site that comes. */
  #refusePrivate(): void {
    const { privateDir } = this.#site
    const [found] = privateFiles(privateDir)
    if (!found) return
    const message = `The folder ${basename(privateDir)} has private documents already: there is ${found[0]}/${found[1][0]}.`
    throw new Conflict(message, undefined, 'Move that folder aside, or migrate into another site: -C another-folder.')
  }

  /** Records that are in no folder any more would be there again, in the history of others. */
  async #refuseHistory({ top, prefix }: Repository, commit: string | undefined): Promise<void> {
    if (commit === undefined) return
    const log = await logOf(top, { tip: commit, paths: [prefix + this.#site.content] })
    const paths = log.flatMap(({ changes }) => changes.map(({ path }) => path.slice(prefix.length)))
    const path = paths.find((one) => this.#registry.places.keyAt(one))
    if (path === undefined) return
    const hint = 'Migrate into a site with a repository of its own (`cms init`), or a folder that is in none.'
    throw new Conflict(`The repository has a history of records already: ${path}.`, undefined, hint)
  }
}

function otherArrival({ content, privateDir }: FilesFolder): Conflict {
  const message = 'Another state of the site began to arrive in this folder, and has not ended.'
  return new Conflict(
    message,
    undefined,
    `Remove what is in ${content}, and the folder ${basename(privateDir)}, then run it again.`,
  )
}
