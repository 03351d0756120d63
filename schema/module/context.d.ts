/** A value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | {
    [key: string]: Json;
};
/** Values by name. */
export type Fields = {
    [name: string]: Json;
};
/** Messages by the path of the value that they are about: `title`, `parts.0.name`. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;
/** A document of a collection of the module. */
export interface StoredItem {
    readonly id: string;
    readonly fields: Readonly<Fields>;
    /** Changes with each write; `expects` compares it. */
    readonly version: string;
}
/** The order and part of a list. `where` compares a value with one, or finds it in a list. */
export interface StoreQuery {
    readonly where?: Readonly<Record<string, string | number | boolean | null>>;
    /** Names of fields, `-` before one for the other way round. */
    readonly sort?: readonly string[];
    readonly offset?: number;
    /** At most 1,000; 100 where it is missing. */
    readonly limit?: number;
}
/**
 * A collection of documents that are the module's own: private, never in git, on every node. A write is durable when it resolves.
 * Field values are at most 256 KiB a document.
 */
export interface Collection {
    get(id: string): Promise<StoredItem | undefined>;
    list(query?: StoreQuery): Promise<{
        readonly items: readonly StoredItem[];
        readonly total: number;
    }>;
    /** Writes one whole. `expects` is the version that it must have, or `absent`; rejects with a ModuleError of status 409 else. */
    put(id: string, fields: Fields, expects?: string): Promise<StoredItem>;
    /** Removes one; false where there is none. */
    remove(id: string): Promise<boolean>;
}
/** Small facts with a life, shared by all nodes. Names are the module's own. */
export interface Facts {
    put(name: string, value: Json, ttl: number): Promise<void>;
    /** Reads and removes in one step: of a hundred at once, one gets it. */
    take(name: string): Promise<Json | undefined>;
    peek(name: string): Promise<Json | undefined>;
    /** Adds `n` to a counter and resolves with the sum; `ttl` (milliseconds) counts from its beginning. */
    add(name: string, n: number, ttl: number): Promise<number>;
}
/** A module's own documents and facts: permission `store`. */
export interface ModuleStore {
    /** Throws for a name that neither `collections` nor `resources` declares. */
    collection(name: string): Collection;
    readonly facts: Facts;
}
/** Records of the site, with the rights that permissions `records:<scope>[@<type>]` name, and as the API has them. */
export interface Records {
    get(type: string, id: string): Promise<Fields | undefined>;
    /** `query` are the parameters of `GET /api/cms/{type}`. */
    list(type: string, query?: Readonly<Record<string, string>>): Promise<{
        readonly data: readonly Fields[];
        readonly total: number;
    }>;
    create(type: string, fields: Fields): Promise<Fields>;
    update(type: string, id: string, fields: Fields, base?: string): Promise<Fields>;
    remove(type: string, id: string): Promise<void>;
}
/** An answer of another server; its body is at most 1 MiB. */
export interface HttpAnswer {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array;
    text(): string;
    json(): Json;
}
/** A request to another server. */
export interface HttpRequest {
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string | Uint8Array;
    /** Milliseconds; at most, and by default, 10,000. */
    readonly timeout?: number;
}
/**
 * Requests to the hosts that permissions `http:<host>` name. Redirects are not followed, and no address that is private is
 * connected to.
 */
export interface Http {
    request(url: string, request?: HttpRequest): Promise<HttpAnswer>;
}
/** Letters of the site: permission `mail`. They are kept until they went out. */
export interface Mail {
    send(message: {
        readonly to: string;
        readonly subject: string;
        readonly text: string;
    }): Promise<void>;
}
/** Lines of the server's log, each with the module's name. */
export interface Log {
    info(message: string): void;
    warn(message: string): void;
    error(message: string, error?: unknown): void;
}
/** The settings that the module declares, as they are now. */
export interface Settings {
    get(name: string): Promise<Json>;
    set(name: string, value: Json): Promise<void>;
}
/** Facts of the site that every module may know. */
export interface SiteFacts {
    readonly name: string;
    readonly url: string;
    readonly locale: string;
    readonly timezone: string;
}
/** The caller of a request, or the member of the panel. */
export interface Caller {
    /** `token:<id>`, `user:<id>`, `local`; undefined without a token. */
    readonly id: string | undefined;
    readonly name: string | undefined;
    /** Returns whether the right is held, for all records or for those of a type. */
    may(scope: string, type?: string): boolean;
}
/** Everything that a module gets: no more than its permissions name. Each part that is not named throws when it is used. */
export interface ModuleContext {
    readonly store: ModuleStore;
    readonly records: Records;
    readonly http: Http;
    readonly mail: Mail;
    readonly settings: Settings;
    readonly log: Log;
    readonly site: SiteFacts;
    /** The section of the configuration that has the module's name, checked and with its defaults; empty where there is none. */
    readonly config: Readonly<Fields>;
    /** Milliseconds since 1970. */
    now(): number;
    /** Adds a job of the module's, to be done from `at` on: permission `jobs`. */
    addJob(name: string, data: Json, at?: number): Promise<void>;
}
