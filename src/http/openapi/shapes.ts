/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>

/** A reference to a component: `#/components/schemas/Record`. */
export interface Ref {
  readonly $ref: string
}

/** One content type of a body. */
export interface MediaType {
  readonly schema: Schema
  readonly example?: unknown
}

/** The content types of a body, by name. */
export type Content = Readonly<Record<string, MediaType>>

/** A header of an answer. */
export interface Header {
  readonly description: string
  readonly required?: boolean
  readonly schema: Schema
}

/** A parameter in the path, the query or a header. */
export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly style?: string
  readonly explode?: boolean
  readonly schema: Schema
}

/** One answer of an operation. */
export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Ref>>
  readonly content?: Content
}

/** The operation of a method on a path. */
export interface OperationObject {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly (Parameter | Ref)[]
  readonly requestBody?: { readonly required: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Response | Ref>>
}

/** The operations of a path, by method in small letters. */
export type PathItem = Readonly<Record<string, OperationObject>>

/** A heading that operations are found under. */
export interface Tag {
  readonly name: string
  readonly description?: string
}

/** A description of an API: OpenAPI 3.1.1, as much of it as Quire uses. */
export interface OpenApi {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly Tag[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Response>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly headers: Readonly<Record<string, Header>>
    readonly securitySchemes: Readonly<Record<string, Schema>>
  }
}
