// Has the tests' TypeScript read by `strip-hooks.js`: types are taken out, and nothing else is changed.
import { register } from 'node:module'

register('./strip-hooks.js', import.meta.url)
