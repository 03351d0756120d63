// Keeps tap from a hook into all that is asynchronous: by it tap knows whose an error is that nobody caught, and each promise of
// what is tested pays for it. Without, such an error fails the file, and its stack says whose it is. Nobody else makes such hooks.
import hooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const none = { enable: () => none, disable: () => none }
hooks.createHook = () => none
syncBuiltinESMExports()
