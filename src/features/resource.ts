import type { Access } from '#core/access/access.ts'
import type { Document, Version } from '#core/document.ts'
import type { Asked } from '#core/history/revision.ts'
import type { MediaKnowing } from '#core/media/media-values.ts'
import type { ContentType, Field } from '#core/types/content-type.ts'
import type { RevisionView } from '#http/past/revisions.ts'
import type { ListMeta } from '#http/requests/paging.ts'
import type { QueryParams } from '#http/requests/query.ts'
import type { Fields, Json } from '#lib/json.ts'
import type { Membership } from './membership.ts'
import type { ListFilter, Offered, Offering } from './offered.ts'

/** The groups of the panel's navigation. */
export type ResourceGroup = 'write' | 'arrange' | 'run'

/** One thing of a resource, with the values of its fields as the API answers them. */
export interface Row {
  readonly id: string
  readonly title: string
  readonly values: Fields
  /** The version it is in; undefined for what has none. */
  readonly version?: Version | undefined
  readonly status?: string | undefined
  /** The address of its page on the site. */
  readonly url?: string | undefined
  /** The person that it is. */
  readonly person?: { readonly id: string; readonly name: string }
  /** The secret of one that was just made: it is shown once. */
  readonly secret?: string
  /** The reason why it can't be read, and so not be changed here. */
  readonly problem?: string | undefined
}

/** A part of a list. */
export interface Rows {
  readonly rows: readonly Row[]
  readonly total: number
  readonly page: number
  readonly perPage: number
}

/** A part of a list as a tree: each row after the one that it is below, with its depth. */
export interface Tree extends Rows {
  readonly rows: readonly (Row & { readonly depth: number })[]
}

/** A way to save: a button with what it says of itself, and the values that it sets beside those of the form. */
export interface Save {
  readonly name: string
  readonly label: string
  /** A second line that says what becomes public. */
  readonly says: string
  readonly set: Fields
  readonly isMain: boolean
}

/** The request of a write, for the history, and the version it started from. */
export interface ResourceWrite {
  readonly asked: Asked
  readonly base?: Version | undefined
  /** True where the last change is taken back, and its status with it. */
  readonly isUndo?: boolean
  /** The sides that were picked of conflicts by their names, in the version `at`: of a newer one they say nothing. */
  readonly settled?: { readonly at: Version; readonly picks: ReadonlyMap<string, 'yours' | 'theirs'> } | undefined
}

/** A way to more of one thing: a page of the panel. */
export interface ResourceLink {
  readonly label: string
  readonly url: string
  readonly icon: string
}

/** One that an action changed: the version that it had, and the one it has; null where it is removed. */
export interface Changed {
  readonly id: string
  readonly was: Version
  readonly version: Version | null
}

/** Something that can be done to one or several at once. */
export interface ResourceAction {
  readonly name: string
  readonly label: string
  /** Question that is asked first. */
  readonly confirm?: string
  readonly isDangerous?: boolean
  readonly on: 'one' | 'many'
  /** Fields of a question that is asked first, where nothing was sent for any of them. */
  fields?(access: Access): readonly Field[]
  may(access: Access, row: Row | undefined): boolean
  run(access: Access, ids: readonly string[], values: Fields, asked: Asked): Promise<readonly Changed[]>
}

/** The text of a file, and its path from the folder of content where that is known. */
export interface SourceText {
  readonly path?: string | undefined
  readonly text: string
}

/** A page as the site would have it, with the content security policy of such a page; `isTrusted` where scripts may run in it. */
export interface PreviewPage {
  readonly html: string
  readonly policy: string
  readonly isTrusted: boolean
}

/** Makes the page that the site would have of a document; it tells of those media files alone that its reader knows of. */
export type Previewing = (type: ContentType, document: Document, knows: MediaKnowing) => Promise<PreviewPage | undefined>

/** A value that two revisions have differently; null where one has none. */
export interface Difference {
  readonly field: string
  readonly before: Json
  readonly after: Json
}

/** The revisions of things, by their ids: each method calls what the API's route of revisions calls. */
export interface Past {
  /** True where the list of things takes `deleted=true`. */
  readonly listsDeleted?: boolean
  /** Returns whether the reader may bring back what was removed; without it, who may make one may. */
  mayRestore?(access: Access): boolean
  /** Returns whether any are kept: without git, none are. */
  isKept(): Promise<boolean>
  /** A part of the revisions of one, newest first; `params` are `page` and `per_page`. */
  list(access: Access, id: string, params: QueryParams): Promise<{ data: readonly RevisionView[]; meta: ListMeta }>
  /** It as it was in a revision. */
  one(access: Access, id: string, ts: string): Promise<Row>
  /** The difference of a revision to the one before, or to the one that `against` names. */
  diff(access: Access, id: string, ts: string, against?: string): Promise<readonly Difference[]>
  /** Makes it what it was, if it is still as `write.base` says: in a version, or `absent`; false where it was so already. */
  rollback(access: Access, id: string, ts: string, write: ResourceWrite): Promise<boolean>
  /** Its file as it was in a revision. */
  source?(access: Access, id: string, ts: string): Promise<SourceText | undefined>
}

/**
 * A kind of things that the panel shows: no HTML in it, and no rule either. Each method calls what the API's route calls, with the
 * same `Access`, and throws what that throws.
 */
export interface Resource {
  /** The address below `/admin/`: `users`, `content/posts`. */
  readonly name: string
  readonly label: string
  /** One of them, in a sentence: "post". */
  readonly singular: string
  readonly group: ResourceGroup
  /** The name of an icon of the panel. */
  readonly icon: string
  /** A sentence for the list while there is none. */
  readonly empty?: string | undefined
  /** `desk` where a long text is written, `form` for all others. */
  readonly layout: 'desk' | 'form'
  /** The template of its list, where that is one of its own. */
  readonly listTemplate?: string
  /** The name of the page on which one is changed, where that is no form of fields. */
  readonly editPage?: 'menu' | 'settings' | 'terms'
  /** The names of the values that its list shows, beside the title. */
  readonly columns: readonly string[]
  /** The headings of columns, by their names, where these don't say it: `title` may be the `Street`. */
  readonly labels?: Readonly<Record<string, string>>
  /** The names of the values that its list can be sorted by. */
  readonly sorts: readonly string[]
  /** True if its list takes `q`. */
  readonly isSearched?: boolean
  /** The statuses that its list can be narrowed to. */
  readonly statuses?: readonly string[]
  /** The values by which its list can be narrowed. */
  filters?(access: Access): readonly ListFilter[]
  /** The values that some filters find something by, the most frequent first, by the names of the filters. */
  suggestions?(access: Access): Promise<ReadonlyMap<string, readonly string[]>>
  /** Returns whether it exists for the reader at all: else it is not linked, and 404. */
  sees(access: Access): boolean
  /** The number of things that the reader may see. */
  count?(access: Access): Promise<number>
  /** The number of things that the reader may see, by status. */
  counts?(access: Access): Promise<ReadonlyMap<string, number>>
  /** The fields of a form, for what is there or for a new one. */
  fields(access: Access, of?: Row): readonly Field[]
  /** The values of a row that no declared field is for, where the reader may change such. */
  undeclared?(access: Access, row: Row): Fields
  /** Values that fields offer, by the names of the fields; those of the others are declared, or typed. */
  options?(access: Access, of?: Row): Promise<Readonly<Record<string, readonly Offered[]>>>
  /** Some of its things that the reader may see, by title, as fields that refer to them offer them; `total` counts all of these. */
  offers?(access: Access, asked: Offering): Promise<{ readonly offered: readonly Offered[]; readonly total: number }>
  /** A sentence that says what removing one does. */
  readonly removal?: string
  /** Fields of the question before one is removed. */
  removalFields?(access: Access, row: Row): readonly Field[]
  /** Returns whether readers of the site may read a value of one. */
  isPublic?(id: string, name: string): boolean
  /** Returns whether the reader may make one. */
  mayCreate(access: Access): boolean
  /** Returns whether the reader may change it. */
  mayUpdate(access: Access, row: Row): boolean
  mayRemove?(access: Access, row: Row): boolean
  /** A part of the list; `params` are those that the API's list takes. */
  list(access: Access, params: QueryParams): Promise<Rows>
  /** A part of the list as a tree, where its things are below one another; `params` are `page` and `per_page`. */
  tree?(access: Access, params: QueryParams): Promise<Tree>
  get(access: Access, id: string): Promise<Row>
  /** It as it was in a version; undefined where that is not known any more, or was not the reader's to see. */
  inVersion?(access: Access, id: string, version: Version): Promise<Row | undefined>
  /** The revisions of things; undefined where these are switched off, or there are none of their kind. */
  readonly past?: Past | undefined
  /** The people who belong to one of them. */
  readonly membership?: Membership
  /** The file of one. */
  source?(access: Access, id: string): Promise<SourceText | undefined>
  /**
   * The page that the site would have of one, with these values in the place of those it has; undefined where it would have none.
   * `id` is undefined for a new one. Nothing is written.
   */
  preview?(access: Access, id: string | undefined, values: Fields): Promise<PreviewPage | undefined>
  /** Returns whether there are previews of one. */
  hasPreview?(): boolean
  /** The ways to more of one, on pages of their own. */
  links?(row: Row): readonly ResourceLink[]
  /** The address at which the API answers with one. */
  apiPath?(id: string): string
  /** The data of that answer; without it, they are the values of its row. */
  answer?(access: Access, id: string): Promise<Json>
  create?(access: Access, values: Fields, write: ResourceWrite): Promise<Row>
  update?(access: Access, id: string, values: Fields, write: ResourceWrite): Promise<Row>
  /** Removes one; `values` are those of `removalFields`. */
  remove?(access: Access, id: string, write: ResourceWrite, values: Fields): Promise<void>
  /** The ways to save, the main one first; without it, there is one. */
  saves?(access: Access, row: Row | undefined): readonly Save[]
  readonly actions?: readonly ResourceAction[]
}

/** The resources that a feature hands in. */
export interface Resources {
  /** Those that the reader sees, in their order. */
  seen(access: Access): Promise<readonly Resource[]>
  /** The one of a name (`content/posts`), if there is one. */
  named(name: string): Promise<Resource | undefined> | Resource | undefined
}
