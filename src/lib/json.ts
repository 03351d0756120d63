/** A value that JSON can hold. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** A record's fields by name, or a file's front matter by key. */
export type Fields = { [name: string]: Json }
