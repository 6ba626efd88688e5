// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

interface Token {
    function balanceOf(address account) external view returns (uint256);
    function allowance(address owner, address spender) external view returns (uint256);
}

/// Tries swaps as the account at whose address this code is put for the length of one call: routers and tokens see
/// that account, with its own balances and allowances. It stands on no chain.
contract SwapTrial {
    /// The zero address stands for the native currency.
    struct Terms {
        address tokenIn;
        uint256 amountIn;
        address tokenOut;
        address recipient;
        /// For each of the swaps.
        uint256 gasLimit;
    }

    struct Swap {
        address to;
        uint256 value;
        bytes data;
        /// Takes the input; the zero address if none is taken.
        address spender;
    }

    struct Outcome {
        bool succeeded;
        /// What the recipient has more of than before.
        uint256 delivered;
        uint256 gasUsed;
        /// What the call answered, or its reason to revert.
        bytes answer;
    }

    /// How each attempt ends, so that nothing of it is left for the next.
    error Tried(Outcome outcome);

    uint256 private constant MAX_ANSWER = 4096;

    receive() external payable {}

    /// A `Tried` of each swap, as if it were the only one; anything else if it could not be tried.
    function tryAll(Terms calldata terms, Swap[] calldata swaps) external returns (bytes[] memory outcomes) {
        outcomes = new bytes[](swaps.length);
        for (uint256 i; i < swaps.length; i++) {
            bytes memory attempt = abi.encodeCall(this.tryOne, (terms, swaps[i]));
            (, outcomes[i]) = address(this).call{gas: terms.gasLimit}(attempt);
        }
    }

    function tryOne(Terms calldata terms, Swap calldata swap) external {
        if (swap.spender != address(0)) allow(terms.tokenIn, swap.spender, terms.amountIn);
        Outcome memory outcome;
        uint256 before = balanceOf(terms.tokenOut, terms.recipient);
        uint256 gas = gasleft();
        (outcome.succeeded, outcome.answer) = swap.to.call{value: swap.value}(swap.data);
        outcome.gasUsed = gas - gasleft();
        if (outcome.succeeded) {
            uint256 present = balanceOf(terms.tokenOut, terms.recipient);
            outcome.delivered = present > before ? present - before : 0;
        }
        bytes memory answer = outcome.answer;
        if (answer.length > MAX_ANSWER) {
            assembly {
                mstore(answer, MAX_ANSWER)
            }
        }
        revert Tried(outcome);
    }

    /// Gives the allowance that is missing. Some tokens want it to be 0 before it changes, and some answer nothing.
    function allow(address token, address spender, uint256 amount) private {
        if (Token(token).allowance(address(this), spender) >= amount) return;
        approve(token, spender, amount);
        if (Token(token).allowance(address(this), spender) >= amount) return;
        approve(token, spender, 0);
        approve(token, spender, amount);
    }

    function approve(address token, address spender, uint256 amount) private {
        (bool succeeded, ) = token.call(abi.encodeWithSignature("approve(address,uint256)", spender, amount));
        succeeded; // the allowance tells
    }

    function balanceOf(address token, address account) private view returns (uint256) {
        return token == address(0) ? account.balance : Token(token).balanceOf(account);
    }
}
