import type { Insertable, Selectable } from 'kysely'
import { datedHead, type KnownDates } from '#core/dates.ts'
import type { Document, Head, Problem } from '#core/document.ts'
import { formOf } from '#core/files/layout.ts'
import { readDocument, readHead, withHead } from '#core/format/read.ts'
import { isPrivate, type Key, keyOf } from '#core/key.ts'
import { InvalidInput } from '#lib/errors.ts'
import type { Draft } from '#stores/engine/drafts.ts'
import { columnsOf } from '../browsing/facts.ts'
import type { Sealing } from '../sealing.ts'
import type { DocumentTable } from '../tables.ts'
import type { Shapes } from './shapes.ts'

/** The most bytes of an id that fit into an index, with all that is beside it there. */
const MOST_ID_BYTES = 1500

/** Throws InvalidInput where the id of a key, as files may have it, is longer than a database can look up. */
export function mustFit({ kind, id }: Key): void {
  if (Buffer.byteLength(id) <= MOST_ID_BYTES) return
  const message = `An id in a database has ${MOST_ID_BYTES} bytes at most; that of ${kind}/${id.slice(0, 100)}… has more.`
  throw new InvalidInput({ id: [message] }, message)
}

/** The columns that a head is made of. */
export type HeadRow = Pick<
  Selectable<DocumentTable>,
  'kind' | 'id' | 'file' | 'version' | 'head' | 'problem' | 'created_at' | 'updated_at'
>

/** The columns that a document is made of. */
export type DocumentRow = HeadRow & Pick<Selectable<DocumentTable>, 'bytes'>

/**
 * A document as it is to be kept: its bytes, where its file would be, and when its history says it began and was last changed.
 */
export interface Kept extends Draft {
  readonly dates: KnownDates
}

/** Makes documents of rows, and rows of documents. */
export class Rows {
  readonly shapes: Shapes
  readonly #sealing: Sealing

  constructor(shapes: Shapes, sealing: Sealing) {
    this.shapes = shapes
    this.#sealing = sealing
  }

  /** The whole document; its bytes are the truth. */
  document(row: DocumentRow): Document {
    const key = keyOf(row.kind, row.id)
    const bytes = this.bytes(row)
    return datedHead(readDocument(key, this.shapes.of(row.kind), bytes, formOf(row.kind, row.file), pathOf(row)), datesOf(row))
  }

  /** The document without its body, as it was read when it was kept. */
  head(row: HeadRow): Head {
    const { fields, createdAt, updatedAt, termNames, isSection, hasFolder, folder } = JSON.parse(row.head) as Omit<
      Head,
      'key' | 'version' | 'problem'
    >
    const problem = row.problem === null ? undefined : (JSON.parse(row.problem) as Problem)
    const own = {
      ...(createdAt && { createdAt }),
      ...(updatedAt && { updatedAt }),
      ...(problem && { problem }),
      ...(termNames && { termNames }),
      ...(isSection && { isSection }),
      ...(hasFolder && { hasFolder }),
      ...(folder !== undefined && { folder }),
    }
    return datedHead({ key: keyOf(row.kind, row.id), fields, version: row.version, ...own }, datesOf(row))
  }

  /** Reads the head from these bytes, as from a file of that name. */
  read(key: Key, file: string, bytes: Buffer): Head {
    return readHead(key, this.shapes.of(key.kind), bytes, formOf(key.kind, file), pathOf({ kind: key.kind, file }))
  }

  /** A document as its row keeps it. Its head is read anew where the row's was read in another shape, or says nothing. */
  kept(row: DocumentRow & Pick<Selectable<DocumentTable>, 'shape'>): Kept {
    const key = keyOf(row.kind, row.id)
    const bytes = this.bytes(row)
    const isKnown = row.shape === this.shapes.nameOf(row.kind) && !this.isSealed(row.kind)
    const head = isKnown ? this.head(row) : this.read(key, row.file, bytes)
    return { key, file: row.file, bytes, head, dates: datesOf(row) }
  }

  /** The document that was just kept, read anew where its head is not known. */
  documentOf({ key, file, bytes, head, document, dates }: Omit<Kept, 'head'> & { readonly head?: Head }): Document {
    const place = [this.shapes.of(key.kind), bytes, formOf(key.kind, file), pathOf({ kind: key.kind, file })] as const
    return datedHead(document ?? (head && withHead(head, ...place)) ?? readDocument(key, ...place), dates)
  }

  /** The head that lists go by: with the dates of history where the bytes give none. */
  listed({ head, dates }: Kept): Head {
    return datedHead(head, dates)
  }

  row(kept: Kept): Insertable<DocumentTable> {
    const { key, file, bytes, head, dates } = kept
    mustFit(key)
    const isSealed = this.#sealing.isSealed(key.kind)
    const { fields, createdAt, updatedAt, termNames, isSection, hasFolder, folder, problem } = head
    const said = { fields, createdAt, updatedAt, termNames, isSection, hasFolder, folder }
    return {
      kind: key.kind,
      id: key.id,
      folded: key.id.toLowerCase(),
      file,
      bytes: isSealed ? this.#sealing.seal(key, bytes) : bytes,
      version: head.version,
      head: JSON.stringify(isSealed ? { fields: {} } : said),
      problem: problem ? JSON.stringify(problem) : null,
      shape: this.shapes.nameOf(key.kind),
      readable: problem?.severity !== 'error',
      ...columnsOf(head),
      created_at: dates.createdAt ?? null,
      updated_at: dates.updatedAt ?? null,
    }
  }

  /**
   * Returns whether lists may not show the content of documents of the kind. Such documents have no facts, and their heads are
   * made of the bytes.
   */
  isSealed(kind: string): boolean {
    return this.#sealing.isSealed(kind)
  }

  bytes({ kind, id, bytes }: Pick<DocumentRow, 'kind' | 'id' | 'bytes'>): Buffer {
    return this.#sealing.isSealed(kind) ? this.#sealing.open(keyOf(kind, id), bytes) : bytes
  }
}

/** The path that problems name: as the files of a site would have it. */
export function pathOf({ kind, file }: { readonly kind: string; readonly file: string }): string {
  return isPrivate(kind) ? `.cms/${file}` : `content/${file}`
}

function datesOf({ created_at, updated_at }: HeadRow): KnownDates {
  return { ...(created_at !== null && { createdAt: created_at }), ...(updated_at !== null && { updatedAt: updated_at }) }
}
