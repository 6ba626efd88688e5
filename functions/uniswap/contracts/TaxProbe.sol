// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

interface Token {
    function balanceOf(address account) external view returns (uint256);
    function transfer(address to, uint256 amount) external;
}

interface Pool {
    function token0() external view returns (address);
    function swap(uint256 amount0, uint256 amount1, address to, bytes calldata data) external;
    function flash(address to, uint256 amount0, uint256 amount1, bytes calldata data) external;
}

/// Measures what arrives of a token on its way out of a pool and back into it. It stands nowhere: a node runs it in a
/// call, at an address that the call gives it.
contract TaxProbe {
    Token private token;
    uint256 private amount;

    /// Borrows the amount from a pool, or half of what that holds if it is less, and sends back what arrived. Answers what
    /// was sent, what arrived of it, and what arrived of that: the greatest number if the token refuses the way back.
    function measure(Token asked, Pool pool, bool isV3, uint256 most) external {
        (token, amount) = (asked, asked.balanceOf(address(pool)) / 2);
        if (most < amount) amount = most;
        bool isFirst = pool.token0() == address(asked);
        (uint256 amount0, uint256 amount1) = isFirst ? (amount, uint256(0)) : (0, amount);
        bytes4 selector = isV3 ? Pool.flash.selector : Pool.swap.selector;
        bytes memory call = isV3
            ? abi.encodeWithSelector(selector, address(this), amount0, amount1, bytes("."))
            : abi.encodeWithSelector(selector, amount0, amount1, address(this), bytes("."));
        (, bytes memory data) = address(pool).call(call);
        require(data.length == 96);
        assembly {
            return(add(data, 32), 96)
        }
    }

    /// The pool calls back, uniswapV2Call or uniswapV3FlashCallback, when it has sent the tokens. The debt is never paid:
    /// this reverts, and carries what was measured.
    fallback() external {
        uint256 sent = amount;
        uint256 bought = token.balanceOf(address(this));
        uint256 before = token.balanceOf(msg.sender);
        uint256 sold = type(uint256).max;
        try token.transfer(msg.sender, bought) {
            sold = token.balanceOf(msg.sender) - before;
        } catch {}
        assembly {
            mstore(0, sent)
            mstore(32, bought)
            mstore(64, sold)
            revert(0, 96)
        }
    }
}
