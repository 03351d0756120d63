import type { Caller, Fields, Json } from './context.js';
/** A request to a route of a module, with its body and parameters checked as the route declares. */
export interface ModuleRequest<Body = Fields> {
    readonly params: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, string>>;
    readonly body: Body;
    readonly headers: Readonly<Record<string, string | undefined>>;
    readonly caller: Caller;
    /** By `server.trust_proxy`. */
    readonly ip: string;
    readonly reply: ModuleReply;
}
/** The answer of a route. What a handler returns is sent as JSON with 200, unless it says otherwise here. */
export interface ModuleReply {
    code(status: number): ModuleReply;
    header(name: string, value: string): ModuleReply;
    type(contentType: string): ModuleReply;
    send(body: Json | string | Uint8Array): ModuleReply;
}
/** Answers a request. What it throws is a ModuleError, or a 500 for this request alone. */
export type Handler = (request: ModuleRequest) => unknown;
declare const part: unique symbol;
/** Something that `use` of a group or a route takes. */
export interface Middleware {
    readonly [part]: 'middleware';
    readonly throttle: string;
}
/** The shape of a body by rules. */
export interface BodyRules {
    readonly [part]: 'rules';
    readonly rules: Readonly<Record<string, string | readonly string[]>>;
}
/** The way in which a route is answered. */
export interface RouteOptions {
    readonly use?: readonly Middleware[];
    /** A JSON Schema, or rules. Without it, a route takes any object. */
    readonly body?: BodyRules | object;
    /** A JSON Schema of the query's parameters. Without it, a GET takes any. */
    readonly query?: object;
    /** A JSON Schema of the answer; what does not fit is a 500, and never sent. */
    readonly response?: object;
    /** The callers: `token` (any valid one, the default), `public`, or the name of a right (`content:write`). */
    readonly auth?: 'public' | 'token' | (string & {});
    /** Words for the API's description. */
    readonly summary?: string;
    readonly description?: string;
}
/** Declares routes. Paths begin with the group's prefix, and that with `/api/x/<name>` or with one that a permission `routes:` names. */
export interface RouteGroup {
    group(options: {
        readonly prefix?: string;
        readonly use?: readonly Middleware[];
        readonly auth?: RouteOptions['auth'];
    }, declare: (group: RouteGroup) => void): void;
    get(path: string, handler: Handler): void;
    get(path: string, options: RouteOptions, handler: Handler): void;
    post(path: string, handler: Handler): void;
    post(path: string, options: RouteOptions, handler: Handler): void;
    put(path: string, handler: Handler): void;
    put(path: string, options: RouteOptions, handler: Handler): void;
    patch(path: string, handler: Handler): void;
    patch(path: string, options: RouteOptions, handler: Handler): void;
    delete(path: string, handler: Handler): void;
    delete(path: string, options: RouteOptions, handler: Handler): void;
}
export {};
