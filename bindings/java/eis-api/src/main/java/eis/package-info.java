/**
 * The parts of the Environment Interface Standard 0.7 that this project uses, declared for the compiler alone. Methods
 * are {@code native}, since they have no code here: at run time the platform brings the real classes.
 */
package eis;
