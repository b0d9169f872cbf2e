// The interface of the views that fill the page, one for each kind of address.

/** @import { EnvironmentStatus } from "../protocol/protocol.js" */

/**
 * A view that fills the page, of which there is one at a time. Its parts are views with a `root`, a method `show` for
 * what they show, and a method `close` if anything else refers to them.
 * @typedef {object} View
 * @property {HTMLElement} root
 * @property {string} title of the window
 * @property {(environments: EnvironmentStatus[]) => void} show takes the environments on the server, whenever one
 *   is created, removed or changes
 * @property {() => void} reflectSession is called when the connection was opened or lost; rights may have changed
 * @property {() => void} close ends subscriptions, timers and sessions
 */

export {};
