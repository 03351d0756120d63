/** An error that a client can act on: the answer is `{"error", "message", "errors"}` with this status. */
export class ModuleError extends Error {
    status;
    errors;
    /** `status` is from 400 to 499, or 503. */
    constructor(status, message, errors) {
        super(message);
        this.name = 'ModuleError';
        this.status = status;
        this.errors = errors;
    }
}
/** Returns the definition, with its type checked. */
export function defineModule(definition) {
    return definition;
}
/** Bounds requests to `"<n>,<m>"`: n in m minutes, for each token or address. */
export function throttle(setting) {
    return { throttle: setting };
}
/**
 * The rules of a body by field: `{email: 'required|email|unique:contacts'}`. `unique` and `exists` name a collection of the module,
 * else a type. A field that no rule names is refused.
 */
export function validate(rules) {
    return { rules };
}
